-- platform/identity: people, however they sign in

create table app_user (
  user_id text primary key,
  issuer text not null,
  subject text not null,
  email text,
  email_verified boolean not null default false,
  name text,
  is_first boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- An erased person keeps only the opaque id, so that audit entries stay meaningful.
  erased_at timestamptz,
  -- SHA-256 of the former issuer and subject, kept a day: older tokens must not bring them back.
  former_hash text,
  constraint app_user_identity unique (issuer, subject)
);
create index app_user_by_email on app_user (email);
create index app_user_by_former on app_user (former_hash) where former_hash is not null;
-- At most one account is ever the first one.
create unique index app_user_first on app_user (is_first) where is_first;
