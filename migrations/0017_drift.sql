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
  -- Checkpoints or traces, by kind; the latest ones. Each further one rewrites them.
  evidence_ids text[] not null check (cardinality(evidence_ids) <= 500),
  -- Traces that those of the streak were compared with.
  baseline_ids text[] not null,
  -- Traces of the streak as it went on after the alert was resolved, so that none is read twice.
  followed_ids text[] not null check (cardinality(followed_ids) <= 500),
  -- The first checkpoint of the streak.
  streak_id text,
  detected_at timestamptz not null,
  -- Null while it is open.
  resolution text check (resolution in ('acknowledged', 'recovered')),
  resolved_at timestamptz,
  acknowledged_by text,
  primary key (agent_id, alert_id),
  check ((kind = 'integrity') = (streak_id is not null)),
  check ((kind = 'trace') = (cardinality(baseline_ids) > 0)),
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

-- Each new trace is compared with others that were held against the same card, whichever they name.
-- As a column of the index the card lets their order be read without the traces; the collation makes
-- that order the same on every server.
alter table trace add column card_id text not null
  generated always as (verification ->> 'card_id') stored;
create index trace_by_card on trace (agent_id, card_id, occurred_at desc, trace_id collate "C" desc);

-- The little that is compared, so that a look at hundreds of traces opens none of their documents.
-- Null for traces of before.
alter table trace add column behaviour jsonb;

-- Traces of one card are compared one after the other. A connection is too dear to wait for long:
-- false means that others were quicker, and the next trace sees what this one would have seen.
create function lock_trace_drift(card_key bigint) returns boolean language plpgsql
  set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(card_key);
  return true;
exception when lock_not_available then
  return false;
end $$;
