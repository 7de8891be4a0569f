-- kernel: events by month, which is dropped as a whole when its retention ends
-- compatible: the name and the columns stay, and no node relies on a key of the id alone

-- Existing rows become the default partition, so nothing is copied. Only that one needs an index
-- by age, because its rows are deleted one by one.
alter table event drop constraint event_pkey;
alter table event rename to event_default;
alter table event_default add constraint event_default_pkey primary key using index event_key;
alter index event_by_org rename to event_default_by_org;
alter index event_by_age rename to event_default_by_age;

create table event (like event_default including defaults including storage)
  partition by range (created_at);
alter table event add primary key (org_id, id, created_at);
create index event_by_org on event (org_id, created_at);
alter table event attach partition event_default default;
grant select, delete on event, event_default to touchstone_purge;
