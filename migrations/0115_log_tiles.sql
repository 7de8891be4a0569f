-- log/sequencer: tiles of the log, unless LOG_STORE names another place

create table log_tile (
  path text collate "C" primary key,
  tile bytea not null
);
-- Hashes do not get smaller.
alter table log_tile alter column tile set storage external;
