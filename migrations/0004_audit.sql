-- platform/audit: who changed what; rows without an organisation are the platform's own log

create table audit_entry (
  id text primary key,
  org_id text,
  action text not null,
  actor_type text not null check (actor_type in ('user', 'api_key', 'system')),
  actor_id text not null,
  impersonated_by text,
  target_type text not null,
  target_id text not null,
  changes jsonb not null,
  ip text,
  request_id text,
  created_at timestamptz not null
);
create index audit_entry_newest on audit_entry (org_id, created_at desc, id);
create index audit_entry_by_age on audit_entry (created_at);

create trigger audit_entry_is_final before update or delete on audit_entry
  for each row execute function refuse_change();
create trigger audit_entry_stays before truncate on audit_entry
  for each statement execute function refuse_change();
grant select, delete on audit_entry to touchstone_purge;
