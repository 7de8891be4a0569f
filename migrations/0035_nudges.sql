-- control/enforcement, evidence/agents: words to agents about their checkpoints

create table nudge (
  nudge_id text primary key,
  agent_id text not null,
  session_id text not null,
  checkpoint_id text not null,
  -- Its place in the agent's chain: the oldest is told first.
  position bigint not null,
  message text not null,
  created_at timestamptz(3) not null,
  -- Null while it waits. Whoever writes this first tells it.
  delivered_at timestamptz(3)
);
create index nudge_pending on nudge (agent_id, position) where delivered_at is null;
create index nudge_by_age on nudge (created_at);
create index nudge_by_agent on nudge (agent_id);

alter table agent
  add column nudge_strategy text not null default 'always'
    check (nudge_strategy in ('always', 'sampling', 'threshold', 'off')),
  add column nudge_rate smallint not null default 100 check (nudge_rate between 0 and 100),
  add column nudge_threshold integer not null default 3 check (nudge_threshold >= 1);
