-- evidence/agents: who is rated

create table agent (
  agent_id text primary key,
  org_id text not null,
  name text not null,
  description text,
  visibility text not null check (visibility in ('public', 'unlisted', 'private')),
  status text not null check (status in ('active', 'paused', 'killed', 'archived')),
  enforcement_mode text not null check (enforcement_mode in ('observe', 'nudge', 'enforce')),
  provider text,
  model text,
  metadata jsonb not null,
  claim_verifier text not null,
  owner_user_id text,
  owner_email text,
  claimed_at timestamptz,
  card_id text not null,
  card_version integer not null,
  last_seen_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- What it was before it was archived, so that an organisation's restore can undo that.
  status_before text,
  archived_with_org boolean not null default false,
  erase_after timestamptz
);
create index agent_by_org on agent (org_id, created_at desc, agent_id);
create index agent_to_erase on agent (erase_after) where erase_after is not null;

-- What stays of an erased agent: the hash of its id, so that the id is never used again.
create table agent_tombstone (
  id_hash text primary key,
  erased_at timestamptz not null
);
