-- log/witnesses: what witnesses answered about checkpoints

create table log_cosignature (
  size bigint not null,
  witness text not null,
  -- The line of the signed note.
  line text not null,
  cosigned_at timestamptz not null,
  primary key (size, witness)
);

create table log_witness (
  witness text primary key,
  -- The newest checkpoint that it cosigned.
  size bigint not null default 0,
  -- The last answer: ok, conflict, unknown_origin, rejected, invalid_proof, bad_signature or unreachable.
  status text not null,
  detail text,
  answered_at timestamptz not null
);

-- There is a row while the log grows and its witnesses do not follow.
create table log_unwitnessed (
  singleton boolean primary key default true check (singleton),
  since timestamptz not null
);
