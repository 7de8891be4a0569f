-- log/entries: records that wait to be entered in the log

create table log_pending (
  pending_id bigint generated always as identity primary key,
  -- Null for a record of the deployment.
  org_id text,
  -- The agent that the record is about, if it is about one.
  agent_id text,
  type text not null,
  record_id text not null,
  -- Canonical JSON, as it is hashed.
  record text not null,
  at timestamptz not null,
  queued_at timestamptz not null
)
-- Rows live for a second, so the table is mostly dead rows until it is vacuumed.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
create index log_pending_by_agent on log_pending (agent_id);
create index log_pending_by_org on log_pending (org_id);
create index log_pending_by_record on log_pending (record_id);
