-- log/sequencer: every signed head of the log; no two have the same size

create table log_checkpoint (
  size bigint primary key,
  root bytea not null check (octet_length(root) = 32),
  -- A signed note with the signature of the log.
  note text not null,
  created_at timestamptz not null
);
