-- evidence/cards: what agents say they stand for, every version kept

create table card_version (
  agent_id text not null,
  version integer not null,
  card_id text not null unique,
  card_json jsonb not null,
  conscience_values jsonb not null,
  reason text not null,
  changed_fields text[] not null,
  issued_at timestamptz not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (agent_id, version)
);

create table card_amendment (
  agent_id text not null,
  amendment_id text not null,
  field_changed text not null,
  previous_value jsonb not null,
  new_value jsonb not null,
  reason text not null,
  from_version integer not null,
  to_version integer not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (agent_id, amendment_id)
);

create trigger card_version_is_final before update or delete on card_version
  for each row execute function refuse_change();
create trigger card_version_stays before truncate on card_version
  for each statement execute function refuse_change();
create trigger card_amendment_is_final before update or delete on card_amendment
  for each row execute function refuse_change();
create trigger card_amendment_stays before truncate on card_amendment
  for each statement execute function refuse_change();
grant select, delete on card_version, card_amendment to touchstone_purge;
