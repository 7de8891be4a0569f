-- evidence/ledger: what an agent's last texts were like, and how many checkpoints came in an hour

-- The clock hour in which the last analysed checkpoint was received, and how many were received in it.
alter table chain_head
  add column hour_from timestamptz,
  add column hour_count integer not null default 0;

-- The SimHashes of an agent's last 500 to 600 texts, in six slots of up to 100. Eight bytes each, in
-- chain order; the oldest slot is overwritten.
create table agent_novelty (
  agent_id text not null,
  slot smallint not null,
  -- How many hashes of the agent came before those of this slot.
  first bigint not null,
  hashes bytea not null,
  primary key (agent_id, slot)
) with (fillfactor = 50);
