-- reputation/scores: what is published of an agent, and what was published before

create table score (
  agent_id text primary key,
  -- Null while the agent is not eligible.
  score smallint,
  grade text not null,
  tier text not null,
  confidence text not null,
  checkpoint_count bigint not null,
  trend_30d smallint not null,
  components jsonb not null,
  -- Everything the score was computed from but the checkpoints themselves.
  basis jsonb not null,
  -- Where the chain and the tree ended then: the score speaks of this and nothing later.
  chain_length bigint not null,
  tree_size bigint not null,
  root bytea not null,
  -- Null until the first computation has ended.
  computed_at timestamptz(3)
);

-- One entry per change, for the trend.
create table score_log (
  agent_id text not null,
  at timestamptz(3) not null,
  score smallint not null,
  primary key (agent_id, at)
);

create table score_snapshot (
  agent_id text not null,
  week_start date not null,
  score smallint not null,
  grade text not null,
  checkpoint_count bigint not null,
  components jsonb not null,
  primary key (agent_id, week_start)
);

-- Parts of an hourly run that are still to be done, so that several workers can share it.
create table score_batch (
  run_at timestamptz not null,
  first_agent text not null,
  last_agent text not null,
  primary key (run_at, first_agent)
);
