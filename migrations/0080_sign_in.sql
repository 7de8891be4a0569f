-- platform/accounts: back-off per account and address, known addresses, sessions with their device, and the second factor

-- A stranger could lock every account with these rows, which held only the e-mail address.
drop table login_failure;

-- Failed attempts in a row of one subject: an account at an address, an account, or an address. The
-- subject is a keyed hash, whether an account exists or not.
create table sign_in_failure (
  subject_hash text primary key,
  failures integer not null,
  failed_at timestamptz not null
);
create index sign_in_failure_by_age on sign_in_failure (failed_at);

-- Addresses from which an account has signed in; both are keyed hashes.
create table known_address (
  account_hash text not null,
  address_hash text not null,
  expires_at timestamptz not null,
  primary key (account_hash, address_hash)
);
create index known_address_by_age on known_address (expires_at);

alter table login_session
  add column user_agent text,
  add column address text,
  add column last_used_at timestamptz not null default now();

create table second_factor (
  user_id text primary key references local_account on delete cascade,
  secret_sealed text not null,
  created_at timestamptz not null,
  -- Null until the first code has been entered.
  confirmed_at timestamptz,
  -- The time step of the last accepted code; codes up to it are refused.
  last_step bigint not null default 0
);

create table recovery_code (
  user_id text not null references second_factor on delete cascade,
  code_hash text not null,
  primary key (user_id, code_hash)
);

-- A sign-in whose password was right and whose second factor is missing.
create table sign_in_challenge (
  token_hash text primary key,
  user_id text not null references local_account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  attempts integer not null default 0
);
create index sign_in_challenge_by_user on sign_in_challenge (user_id);
create index sign_in_challenge_by_age on sign_in_challenge (expires_at);
