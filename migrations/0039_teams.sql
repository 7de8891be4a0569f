-- fleet/teams: agents that work together, who belongs to them, and who came and went

create table team (
  team_id text primary key,
  org_id text not null,
  name text not null,
  -- As two names are compared: trimmed, NFC and lower case, which is done in code.
  name_key text not null,
  description text,
  metadata jsonb not null,
  visibility text not null check (visibility in ('public', 'unlisted', 'private')),
  status text not null check (status in ('active', 'archived')),
  -- The organisation is deleted, and not yet erased.
  org_closed boolean not null default false,
  -- How many roster changes there were.
  roster_length integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3),
  check ((status = 'archived') = (archived_at is not null))
);
-- An archived team leaves its name to others.
create unique index team_name on team (org_id, name_key) where status = 'active';
create index team_by_org on team (org_id, status, created_at desc, team_id);
create index team_computed on team (team_id) where status = 'active' and not org_closed;

-- Who belongs to it now.
create table team_member (
  team_id text not null references team,
  agent_id text not null,
  added_at timestamptz(3) not null,
  primary key (team_id, agent_id)
);
create index team_member_by_agent on team_member (agent_id);

create table team_roster_change (
  team_id text not null references team,
  change_number integer not null,
  change_id text not null unique,
  change_type text not null check (change_type in ('agent_added', 'agent_removed')),
  -- Null once the agent is erased.
  agent_id text,
  -- Null for the service itself.
  actor_id text,
  -- Of those the team began with; they unsettle nothing.
  initial boolean not null,
  created_at timestamptz(3) not null,
  primary key (team_id, change_number)
);
create index team_roster_change_by_agent on team_roster_change (agent_id);
create trigger team_roster_change_is_final before update or delete on team_roster_change
  for each row execute function refuse_change();
create trigger team_roster_change_stays before truncate on team_roster_change
  for each statement execute function refuse_change();
-- Where an agent is erased, its changes are written again without it.
grant select, insert, delete on team_roster_change to touchstone_purge;
