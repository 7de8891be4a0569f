-- evidence/ledger: how the service came to know a checkpoint, and the gateway's decisions it is about

-- A row without decision_ids was stored before this migration: its record and certificate are of
-- version 1.0.0, which have neither of the two. Neither statement reads the existing rows.
alter table checkpoint
  add column provenance text not null default 'reported',
  add column decision_ids text[];
alter table checkpoint
  add constraint checkpoint_provenance_check
    check (provenance in ('observed', 'relayed', 'reported', 'imported')) not valid;

-- A decision counts for one checkpoint only.
create table checkpoint_decision (
  agent_id text not null,
  decision_id text not null,
  position bigint not null,
  primary key (agent_id, decision_id)
);
create trigger checkpoint_decision_is_final before update or delete on checkpoint_decision
  for each row execute function refuse_change();
create trigger checkpoint_decision_stays before truncate on checkpoint_decision
  for each statement execute function refuse_change();
grant select, delete on checkpoint_decision to touchstone_purge;
