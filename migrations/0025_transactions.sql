-- governance/transactions: work of limited time, for which an agent is held to fewer tools

create table agent_transaction (
  transaction_id text primary key,
  org_id text not null,
  agent_id text not null,
  description text not null,
  action_type text not null,
  -- Distinct, in the order given.
  tools text[] not null check (cardinality(tools) between 1 and 100),
  -- The teams whose policies narrow it too.
  team_ids text[] not null,
  -- What it lays down itself, if anything. As text, in the order of its author.
  policy json,
  -- Of all layers as they were at creation; evaluations merge anew.
  merged_policy json not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  check (expires_at > created_at)
);
create index agent_transaction_by_org
  on agent_transaction (org_id, created_at desc, transaction_id);
create index agent_transaction_by_agent
  on agent_transaction (agent_id, created_at desc, transaction_id);
-- When it was over, or will be.
create index agent_transaction_by_end on agent_transaction ((coalesce(completed_at, expires_at)));
