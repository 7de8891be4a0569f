-- platform/impersonation: administrators looking through a user's eyes, one hour at a time

create table impersonation_session (
  session_id text primary key,
  admin_user_id text not null,
  target_user_id text not null,
  reason text not null,
  token_hash text not null unique,
  started_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index impersonation_session_by_age
  on impersonation_session ((coalesce(ended_at, expires_at)));
