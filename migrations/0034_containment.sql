-- control/containment, evidence/agents: who stopped an agent, who let it go on, and why

-- Each entry is linked to the one before it; the newest says what holds.
create table containment_entry (
  agent_id text not null,
  entry_number bigint not null,
  entry_id text not null,
  action text not null check (action in ('pause', 'auto_pause', 'resume', 'kill', 'reactivate')),
  actor text not null,
  reason text,
  previous_status text not null check (previous_status in ('active', 'paused', 'killed')),
  new_status text not null check (new_status in ('active', 'paused', 'killed')),
  created_at timestamptz(3) not null,
  -- How many checkpoints the agent had by then: what it did before it was let go counts no more.
  chain_length bigint not null,
  prev_hash text not null,
  entry_hash text not null,
  primary key (agent_id, entry_number)
);
create index containment_entry_freeing on containment_entry (agent_id, entry_number desc)
  where new_status = 'active';

create trigger containment_entry_is_final before update or delete on containment_entry
  for each row execute function refuse_change();
create trigger containment_entry_stays before truncate on containment_entry
  for each statement execute function refuse_change();

grant select, delete on containment_entry to touchstone_purge;

-- With the agent, as it is asked for with every checkpoint. Null: no violation stops it by itself.
alter table agent add column auto_containment_threshold smallint
  check (auto_containment_threshold between 2 and 100);
