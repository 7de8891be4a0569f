-- reputation/directory: searched in memory, which follows what changed here

-- Every process that answers searches holds the listed entries. Before each answer it asks which of
-- them changed, so it has to be told in the transaction of the change, and in no order: transactions
-- end in another order than they begin. A snapshot says exactly which ones had ended.
create table directory_change (
  xid xid8 not null default pg_current_xact_id(),
  agent_id text collate "C" not null
);
create index directory_change_by_xid on directory_change (xid);

-- Changes before this are forgotten. Whoever last looked before it begins anew.
create table directory_change_floor (
  single boolean primary key default true check (single),
  kept_from xid8 not null,
  -- What will be forgotten the next time, so that nobody begins anew who looks now and then.
  next_from xid8 not null
);
insert into directory_change_floor (kept_from, next_from)
  values (pg_current_xact_id(), pg_current_xact_id());

drop trigger directory_entry_inserted on directory_entry;
drop trigger directory_entry_changed_to on directory_entry;
drop trigger directory_entry_changed_from on directory_entry;
drop trigger directory_entry_deleted on directory_entry;
drop function directory_tally_came();
drop function directory_tally_went();
drop table directory_tally;

create function directory_entry_note() returns trigger language plpgsql as $$
begin
  insert into directory_change (agent_id) select agent_id from changed;
  return null;
end $$;

create trigger directory_entry_inserted after insert on directory_entry
  referencing new table as changed for each statement execute function directory_entry_note();
create trigger directory_entry_updated after update on directory_entry
  referencing new table as changed for each statement execute function directory_entry_note();
create trigger directory_entry_deleted after delete on directory_entry
  referencing old table as changed for each statement execute function directory_entry_note();

-- With one index left, a new score is written beside the old one and no index hears of it. The
-- extension of the text index stays: it may be in use by others.
drop index directory_by_score, directory_by_name, directory_by_trend, directory_by_checkpoints;
drop index if exists directory_by_text;
alter table directory_entry drop column find_key, drop column name_key;
alter table directory_entry set (fillfactor = 80);
