-- platform/sso: sign-in through an organisation's own SAML identity provider

create table sso_config (
  org_id text primary key,
  metadata_url text not null,
  idp_name text,
  default_role text not null check (default_role in ('admin', 'auditor', 'member')),
  enforced boolean not null,
  entity_id text not null,
  sso_url text not null,
  binding text not null check (binding in ('redirect', 'post')),
  -- DER as base64
  certificates text[] not null,
  certificate_expires_at timestamptz not null,
  -- while the organisation is deleted and may still come back
  closed boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- The key makes a domain belong to one organisation at most.
create table sso_domain (
  domain text primary key,
  org_id text not null references sso_config on delete cascade
);
create index sso_domain_by_org on sso_domain (org_id);

-- Requests sent to an identity provider and not answered yet; an answer takes the row away.
create table sso_request (
  request_id text primary key,
  org_id text not null references sso_config on delete cascade,
  return_to text,
  state text,
  expires_at timestamptz not null
);
create index sso_request_by_age on sso_request (expires_at);
create index sso_request_by_org on sso_request (org_id);

-- Assertions used once; kept until they are too old to be used again.
create table sso_assertion (
  org_id text not null,
  assertion_id text not null,
  expires_at timestamptz not null,
  primary key (org_id, assertion_id)
);
create index sso_assertion_by_age on sso_assertion (expires_at);

-- What the browser brings back to be exchanged for tokens; only the hash is stored.
create table sso_code (
  code_hash text primary key,
  org_id text not null references sso_config on delete cascade,
  user_id text not null,
  expires_at timestamptz not null
);
create index sso_code_by_age on sso_code (expires_at);
create index sso_code_by_org on sso_code (org_id);
