-- log/entries: salts of agents, organisations and the deployment

create table log_salt (
  org_id text unique,
  agent_id text unique,
  -- 32 bytes, encrypted under SECRET_KEY.
  salt_sealed text not null,
  created_at timestamptz not null,
  check (org_id is null or agent_id is null)
);
-- Without an agent and an organisation it is the salt of the deployment, of which there is one.
create unique index log_salt_of_deployment on log_salt ((true))
  where org_id is null and agent_id is null;
