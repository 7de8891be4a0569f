-- platform/api-keys: what a key is used by, whether its holder stops calls, and its only agent

alter table api_key
  add column client text not null default 'api'
    check (client in ('api', 'sdk', 'mcp_guard', 'hook')),
  -- In mode observe the holder records decisions and does not stop calls.
  add column mode text not null default 'enforce' check (mode in ('enforce', 'observe')),
  -- Every call of the key is restricted to this agent; null for a key of the organisation.
  add column agent_id text;
create index api_key_by_agent on api_key (agent_id) where agent_id is not null;
