-- platform/orgs: organisations and their members

create table org (
  org_id text primary key,
  name text not null,
  slug text not null,
  billing_account_id text not null unique,
  owner_user_id text not null,
  billing_email text,
  company_name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint org_slug_unique unique (slug)
);
create index org_deleted on org (deleted_at) where deleted_at is not null;

create table org_member (
  org_id text not null references org on delete cascade,
  user_id text not null,
  role text not null check (role in ('owner', 'admin', 'auditor', 'member')),
  accepted_at timestamptz not null,
  role_since timestamptz not null,
  primary key (org_id, user_id)
);
create index org_member_by_user on org_member (user_id);
