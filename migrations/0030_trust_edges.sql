-- control/trust-edges: which agents declared trust in which others

create table trust_edge (
  edge_id text primary key,
  -- Ordered by code point, as the order of propagation is.
  source_agent_id text collate "C" not null,
  target_agent_id text collate "C" not null,
  -- 0 high, 1 medium, 2 low: the order in which a correction reaches those who trust.
  trust_rank smallint not null check (trust_rank between 0 and 2),
  reason text,
  created_at timestamptz(3) not null,
  constraint trust_edge_once unique (source_agent_id, target_agent_id),
  check (source_agent_id <> target_agent_id)
);
-- A hub may be trusted by very many: the first in order are read, never all.
create index trust_edge_into on trust_edge (target_agent_id, trust_rank, source_agent_id);
