-- chain/publishing: scores written to the chain, with what they were computed from

create table publication (
  publication_id text primary key,
  seq bigint generated always as identity unique,
  chain_id bigint not null,
  contract text not null,
  org_id text not null,
  agent_count integer not null,
  -- Null until it is mined.
  tx_hash text,
  block_number bigint,
  gas_used bigint,
  published_at timestamptz,
  created_at timestamptz not null
);
create index publication_by_org on publication (org_id, seq desc);

create table publication_score (
  agent_id text not null,
  publication_seq bigint not null,
  score smallint not null,
  grade text not null,
  -- Canonical JSON, byte for byte what was hashed.
  metadata text not null,
  metadata_hash bytea not null check (octet_length(metadata_hash) = 32),
  primary key (agent_id, publication_seq)
);
create index publication_score_by_publication on publication_score (publication_seq);
