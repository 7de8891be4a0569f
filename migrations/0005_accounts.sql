-- platform/accounts: sign-in with e-mail and password, and the keys and sessions of our own tokens

create table local_account (
  user_id text primary key,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint local_account_email unique (email)
);

create table signing_key (
  kid text primary key,
  public_jwk jsonb not null,
  private_sealed text not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
-- Nodes that start together agree on one key, because only one row can be the current one.
create unique index signing_key_current on signing_key ((true)) where retired_at is null;

-- One sign-in and everything refreshed from it: the family that ends together.
create table login_session (
  session_id text primary key,
  user_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index login_session_by_user on login_session (user_id) where revoked_at is null;
create index login_session_by_age on login_session (expires_at);

create table refresh_token (
  token_hash text primary key,
  session_id text not null references login_session on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index refresh_token_by_session on refresh_token (session_id);
create index refresh_token_by_age on refresh_token (expires_at);

create table password_reset (
  token_hash text primary key,
  user_id text not null references local_account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_reset_by_user on password_reset (user_id);
create index password_reset_by_age on password_reset (expires_at);

-- By hash of the address, whether an account has it or not.
create table login_failure (
  id bigint generated always as identity primary key,
  email_hash text not null,
  failed_at timestamptz not null
);
create index login_failure_by_email on login_failure (email_hash, failed_at);
create index login_failure_by_age on login_failure (failed_at);
