-- evidence/drift: where an agent left its ways, and what became of it

create table drift_alert (
  agent_id text not null,
  alert_id text not null,
  org_id text not null,
  kind text not null check (kind in ('integrity', 'trace')),
  session_id text not null,
  card_id text not null,
  severity text not null check (severity in ('low', 'medium', 'high')),
  drift_direction text not null,
  similarity double precision not null,
  sustained integer not null,
  -- Checkpoints or traces, by kind.
  evidence_ids text[] not null,
  -- The first checkpoint of the streak.
  streak_id text,
  detected_at timestamptz not null,
  -- Null while it is open.
  resolution text check (resolution in ('acknowledged', 'recovered')),
  resolved_at timestamptz,
  acknowledged_by text,
  primary key (agent_id, alert_id),
  check ((kind = 'integrity') = (streak_id is not null)),
  check ((resolution is null) = (resolved_at is null)),
  check ((resolution is not distinct from 'acknowledged') = (acknowledged_by is not null))
);
create unique index drift_alert_by_id on drift_alert (alert_id);
-- One alert per streak, whatever happens at the same time.
create unique index drift_alert_by_streak on drift_alert (agent_id, streak_id);
create index drift_alert_by_agent on drift_alert (agent_id, detected_at desc, alert_id);
create index drift_alert_by_card on drift_alert (agent_id, card_id, detected_at desc)
  where kind = 'trace';
create index drift_alert_open on drift_alert (agent_id, kind, session_id) where resolution is null;

-- Each new trace is compared with others of its card. As a column of the index the card lets their
-- order be read without the traces; the collation makes that order the same on every server.
alter table trace add column card_id text not null
  generated always as (document ->> 'card_id') stored;
create index trace_by_card on trace (agent_id, card_id, occurred_at desc, trace_id collate "C" desc);
