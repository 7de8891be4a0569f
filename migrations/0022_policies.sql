-- governance/policy: what organisations, agents and teams lay down, every version kept

-- One row for everybody who ever had a policy. Writers lock it, so they wait for each other.
create table policy_owner (
  owner_kind text not null check (owner_kind in ('org', 'agent', 'team')),
  owner_id text not null,
  -- The last number given out, which is the version in force; deletions take one too.
  version integer not null,
  primary key (owner_kind, owner_id)
);

create table policy_version (
  owner_kind text not null,
  owner_id text not null,
  version integer not null,
  policy_id text not null,
  -- As text, in the order of its author; null for a deletion.
  document json,
  -- Since when the document's own mode is enforce.
  enforce_since timestamptz,
  -- Of the policy: when its first version was written.
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (owner_kind, owner_id, version),
  foreign key (owner_kind, owner_id) references policy_owner
);

create trigger policy_version_is_final before update or delete on policy_version
  for each row execute function refuse_change();
create trigger policy_version_stays before truncate on policy_version
  for each statement execute function refuse_change();
grant select, delete on policy_version to touchstone_purge;
