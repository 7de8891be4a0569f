-- log/entries: which record an entry of the log is about

create table log_entry (
  org_id text,
  agent_id text,
  type text not null,
  record_id text not null,
  log_index bigint primary key,
  -- Canonical JSON, as it was hashed. The entry itself is in the tiles.
  record text not null,
  unique (record_id, type)
);
create index log_entry_by_agent on log_entry (agent_id);
create index log_entry_by_org on log_entry (org_id);
