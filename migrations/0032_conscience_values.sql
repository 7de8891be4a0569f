-- control/conscience-values: what organisations lay down for the conscience of all their agents

-- One row for every organisation that ever changed anything. Writers lock it, so they wait for
-- each other and no two of them can pass a limit together.
create table conscience_setting (
  org_id text primary key,
  mode text not null check (mode in ('augment', 'replace')),
  enabled boolean not null,
  -- Counts changes; what was made of an older number is over.
  revision integer not null
);

create table conscience_value (
  id text primary key,
  org_id text not null references conscience_setting,
  name text not null,
  -- The name as it is compared, computed where values are resolved, so that both agree.
  name_key text not null,
  description text not null,
  type text not null check (type in ('BOUNDARY', 'FEAR', 'COMMITMENT', 'BELIEF', 'HOPE')),
  severity text not null check (severity in ('advisory', 'mandatory')),
  is_active boolean not null,
  sort_order integer not null,
  created_by text not null,
  updated_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (org_id, name_key)
);

create table conscience_log (
  org_id text not null,
  -- Which one its change made; also the order of entries, whatever the clock said.
  revision integer not null,
  id text not null unique,
  action text not null check (action in (
    'create', 'update', 'activate', 'deactivate', 'delete', 'reorder', 'mode_change')),
  actor text not null,
  -- Null where no one value is concerned.
  value_id text,
  changes jsonb not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  primary key (org_id, revision)
);

create trigger conscience_log_is_final before update or delete on conscience_log
  for each row execute function refuse_change();
create trigger conscience_log_stays before truncate on conscience_log
  for each statement execute function refuse_change();
grant select, delete on conscience_log to touchstone_purge;
