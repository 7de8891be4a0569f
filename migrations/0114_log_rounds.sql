-- log/sequencer: the key of the log, who writes it, and the round in progress

create table log_identity (
  singleton boolean primary key default true check (singleton),
  origin text not null,
  key_id text not null,
  public_key text not null,
  seed_sealed text not null,
  created_at timestamptz not null,
  -- Why nothing is added to the log any more, as found by the node that writes it.
  fault text
);

create table log_lease (
  singleton boolean primary key default true check (singleton),
  holder text not null,
  expires_at timestamptz not null
);

-- Entries that have an index and are in no checkpoint yet. Written again to the tiles after a crash.
create table log_round (
  first_index bigint primary key,
  -- Rows of log_pending, in the order of the entries.
  pending_ids bigint[] not null,
  -- As in an entry tile: each entry after its length.
  entries bytea not null,
  sequenced_at timestamptz not null
);
-- Written once and read once, so compressing it is not worth the time.
alter table log_round alter column entries set storage external,
  alter column pending_ids set storage external;
