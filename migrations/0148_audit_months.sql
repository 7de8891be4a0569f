-- platform/audit: by month, which is dropped as a whole when its retention ends
-- compatible: the name and the columns stay, and no node relies on a key of the id alone

-- As for evaluations. Entries of the platform have no organisation, so the key cannot begin with it.
drop trigger audit_entry_is_final on audit_entry;
alter table audit_entry drop constraint audit_entry_pkey;
alter table audit_entry rename to audit_entry_default;
alter table audit_entry_default
  add constraint audit_entry_default_pkey primary key using index audit_entry_key;
alter index audit_entry_newest rename to audit_entry_default_newest;
alter index audit_entry_by_age rename to audit_entry_default_by_age;

create table audit_entry
  (like audit_entry_default including defaults including storage including constraints)
  partition by range (created_at);
alter table audit_entry add primary key (id, created_at);
create index audit_entry_newest on audit_entry (org_id, created_at desc, id);
alter table audit_entry attach partition audit_entry_default default;
create trigger audit_entry_is_final before update or delete on audit_entry
  for each row execute function refuse_change();
create trigger audit_entry_stays before truncate on audit_entry
  for each statement execute function refuse_change();
grant select, delete on audit_entry, audit_entry_default to touchstone_purge;
