-- platform/api-keys: credentials of programs, stored only as hashes

create table api_key (
  key_id text primary key,
  org_id text not null,
  account_id text not null,
  name text not null,
  key_hash text not null unique,
  key_prefix text not null,
  role text not null check (role in ('admin', 'auditor', 'member')),
  scopes text[] not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
-- Secrets before a rotation, each while its own grace lasts.
create table api_key_former (
  key_hash text primary key,
  key_id text not null references api_key on delete cascade,
  works_until timestamptz not null
);
create index api_key_former_by_key on api_key_former (key_id);

create index api_key_by_org on api_key (org_id, created_at) where revoked_at is null;
create index api_key_by_creator on api_key (created_by, created_at) where revoked_at is null;
