-- log/packs: evidence packs of organisations, kept for some days

create table log_pack (
  pack_id text primary key,
  org_id text not null,
  requested_by text not null,
  -- From inclusive, to exclusive.
  period_from timestamptz not null,
  period_to timestamptz not null,
  frameworks text[] not null,
  status text not null check (status in ('queued', 'running', 'ready', 'failed')),
  -- Percent.
  progress smallint not null default 0 check (progress between 0 and 100),
  error text,
  bytes bigint,
  sha256 text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index log_pack_by_org on log_pack (org_id, created_at);
-- One pack of an organisation is built at a time.
create unique index log_pack_in_progress on log_pack (org_id) where status in ('queued', 'running');

create table log_pack_part (
  pack_id text not null references log_pack on delete cascade,
  part integer not null,
  content bytea not null,
  primary key (pack_id, part)
);
-- The content is compressed already.
alter table log_pack_part alter column content set storage external;
