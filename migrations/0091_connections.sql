-- gateway/connections: addresses under which agents reach their model providers

create table model_connection (
  org_id text not null,
  connection_id text not null,
  agent_id text not null,
  account_id text not null,
  name text not null,
  provider text not null check (provider in ('anthropic', 'openai', 'gemini', 'openai_compatible')),
  -- Only for openai_compatible.
  upstream_url text,
  -- The provider's key, sealed under SECRET_KEY; null if the client's own is passed through.
  sealed_credential text,
  on_contained text not null check (on_contained in ('refuse', 'turn')),
  on_error text not null check (on_error in ('fail_closed', 'fail_open')),
  mode text not null check (mode in ('enforce', 'observe')),
  token_hash text not null unique,
  token_prefix text not null,
  created_by text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (org_id, connection_id)
);
create index model_connection_by_agent on model_connection (agent_id, created_at)
  where revoked_at is null;

-- Tokens before a rotation, each while its own grace lasts.
create table model_connection_former (
  token_hash text primary key,
  org_id text not null,
  connection_id text not null,
  works_until timestamptz not null,
  foreign key (org_id, connection_id) references model_connection on delete cascade
);
create index model_connection_former_by_connection
  on model_connection_former (org_id, connection_id);
