-- evidence/auditor: how far the walk over each agent's chain has come, and what the walks found

create table chain_audit (
  agent_id text primary key,
  -- The walk under way: the next position, and what the checkpoint there has to join.
  position bigint not null default 0,
  chain_hash bytea,
  leaf_count bigint not null default 0,
  -- The roots of the complete subtrees so far, left to right.
  edge bytea[] not null default '{}',
  leased_by text,
  leased_until timestamptz,
  -- When the last walk over the whole chain ended, and how.
  audited_at timestamptz,
  result text check (result in ('intact', 'broken')),
  -- Where the last intact walk ended, so that what came later can be walked alone.
  audited_through bigint,
  audited_chain_hash bytea,
  audited_leaf_count bigint not null default 0,
  audited_edge bytea[] not null default '{}',
  -- The first fault ever found. Nothing clears it but a person who looked into it.
  fault_position bigint,
  fault_what text,
  fault_at timestamptz
);
create index chain_audit_by_age on chain_audit (audited_at nulls first, agent_id);
