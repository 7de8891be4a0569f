-- kernel: events, jobs, schedules, kept answers, and the role that alone may delete attested rows

create table event (
  id text primary key,
  type text not null,
  org_id text not null,
  account_id text not null,
  data jsonb not null,
  created_at timestamptz not null
);
create index event_by_age on event (created_at);
create index event_by_org on event (org_id, created_at);

create table job (
  id bigint generated always as identity primary key,
  kind text not null,
  payload jsonb not null,
  run_at timestamptz not null,
  attempts integer not null default 0,
  locked_until timestamptz,
  locked_by text,
  state text not null default 'queued' check (state in ('queued', 'dead')),
  last_error text,
  created_at timestamptz not null
);
create index job_due on job (run_at, id) where state = 'queued';

create table schedule_run (
  schedule text not null,
  fired_at timestamptz not null,
  primary key (schedule, fired_at)
);

create table idempotency_record (
  scope text not null,
  key text not null,
  body_hash text not null,
  status integer,
  answer text,
  content_type text,
  started_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (scope, key)
);
create index idempotency_record_by_age on idempotency_record (expires_at);

-- Roles belong to the whole server: another database on it, or an administrator, may have made it.
do $$
begin
  if not exists (select 1 from pg_roles where rolname = 'touchstone_purge') then
    create role touchstone_purge nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise exception 'The database user may not create roles. As an administrator run: CREATE ROLE touchstone_purge NOLOGIN; GRANT touchstone_purge TO %;', current_user;
end $$;

-- Being a member is not enough on every version; what counts is that the role can be taken.
do $$
begin
  begin
    set local role touchstone_purge;
    reset role;
  exception
    when insufficient_privilege then
      execute format('grant touchstone_purge to %I', current_user);
  end;
  set local role touchstone_purge;
  reset role;
exception
  when insufficient_privilege then
    raise exception 'The database user may not take the role touchstone_purge. As an administrator run: GRANT touchstone_purge TO %;', current_user;
end $$;

-- Guards rows that are evidence: never updated, deleted only by retention and erasure.
create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_user = 'touchstone_purge' then
    return old;
  end if;
  raise exception 'rows of % are never changed', tg_table_name using errcode = 'restrict_violation';
end $$;
