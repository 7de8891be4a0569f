-- fleet/team-cards: what teams declare, every version kept

create table team_card (
  team_id text not null,
  version integer not null,
  card_id text not null unique,
  card_json jsonb not null,
  card_source text not null check (card_source in ('manual', 'auto_derived', 'hybrid')),
  actor_id text not null,
  issued_at timestamptz(3) not null,
  primary key (team_id, version)
);
create trigger team_card_is_final before update or delete on team_card
  for each row execute function refuse_change();
create trigger team_card_stays before truncate on team_card
  for each statement execute function refuse_change();
grant select, delete on team_card to touchstone_purge;
