-- platform/invitations: ways into an organisation

create table invitation (
  invitation_id text primary key,
  org_id text not null,
  email text not null,
  role text not null check (role in ('admin', 'auditor', 'member')),
  token_hash text not null unique,
  status text not null check (status in ('pending', 'accepted', 'revoked')),
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index invitation_by_org on invitation (org_id, created_at desc, invitation_id);
create unique index invitation_one_pending on invitation (org_id, email) where status = 'pending';
