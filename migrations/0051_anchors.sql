-- chain/anchoring: Merkle roots on the chain, and what the automatic ones cover

create table anchor (
  anchor_id text primary key,
  -- Newest last; what belongs to an anchor is stored under it.
  seq bigint generated always as identity unique,
  chain_id bigint not null,
  contract text not null,
  kind text not null check (kind in ('manual', 'automatic')),
  -- Null for automatic ones, and once the organisation is erased.
  org_id text,
  merkle_root bytea not null check (octet_length(merkle_root) = 32),
  leaf_count bigint not null,
  tree_depth smallint not null,
  -- Null until it is mined.
  tx_hash text,
  block_number bigint,
  gas_used bigint,
  anchored_at timestamptz,
  created_at timestamptz not null
);
-- On its way or there: a contract takes a root once.
create unique index anchor_once on anchor (chain_id, contract, merkle_root);
create index anchor_by_org on anchor (org_id, seq desc) where org_id is not null;
create index anchor_by_kind on anchor (chain_id, kind, seq desc);

-- The agents in the tree of an automatic anchor, in its order.
create table anchor_leaf (
  anchor_seq bigint not null,
  position bigint not null,
  agent_id text not null,
  merkle_root bytea not null,
  checkpoint_count bigint not null,
  primary key (anchor_seq, position)
);
create index anchor_leaf_by_agent on anchor_leaf (agent_id, anchor_seq desc);

-- The hashes of up to 256 leaves each, with the root over them: a proof needs one, and all roots.
-- They outlive the agents, so that anchored trees still verify.
create table anchor_chunk (
  anchor_seq bigint not null,
  chunk integer not null,
  leaves bytea not null,
  root bytea not null,
  primary key (anchor_seq, chunk)
);

-- Whose agents an automatic anchor covers.
create table anchor_org (
  org_id text not null,
  anchor_seq bigint not null,
  primary key (org_id, anchor_seq)
);
create index anchor_org_by_anchor on anchor_org (anchor_seq);

-- Which manual anchors were compared with the tree of an agent, and the newest that it has had.
create table anchor_reach (
  agent_id text primary key,
  through_seq bigint not null,
  anchor_seq bigint
);
