-- evidence/traces: decisions as agents reported them, verified once and never changed

create table trace (
  agent_id text not null,
  trace_id text not null,
  org_id text not null,
  session_id text not null,
  occurred_at timestamptz not null,
  action_type text not null,
  action_name text not null,
  verified boolean not null,
  violations text[] not null,
  document jsonb not null,
  verification jsonb not null,
  -- Of the input as it came, so that a repetition is told from another trace of the same id.
  input_hash text not null,
  created_at timestamptz not null,
  -- The card's own promise: no plan lets go of the trace before.
  keep_until timestamptz not null,
  primary key (agent_id, trace_id)
) partition by hash (agent_id);

do $$
begin
  for part in 0..15 loop
    execute format(
      'create table trace_%s partition of trace for values with (modulus 16, remainder %s)',
      part, part);
    -- Row triggers come from the parent; one against truncation each partition needs for itself.
    execute format(
      'create trigger trace_stays before truncate on trace_%s
         for each statement execute function refuse_change()', part);
  end loop;
end $$;

create index trace_by_agent on trace (agent_id, occurred_at desc, trace_id);
create index trace_by_org on trace (org_id, occurred_at desc, trace_id);
create index trace_by_session on trace (org_id, session_id, occurred_at desc, trace_id);
-- What went wrong is asked for most and is little.
create index trace_failed on trace (org_id, occurred_at desc, trace_id) where not verified;
create index trace_by_age on trace (org_id, created_at);

-- Whose an id is. The id alone does not say in which partition its trace lies, and one id must not
-- stand for two traces. It outlives the trace, because ids are never used again; erasure ends it.
create table trace_owner (
  trace_id text primary key,
  agent_id text not null
);
create index trace_owner_by_agent on trace_owner (agent_id);

create trigger trace_is_final before update or delete on trace
  for each row execute function refuse_change();
create trigger trace_stays before truncate on trace
  for each statement execute function refuse_change();
create trigger trace_owner_is_final before update or delete on trace_owner
  for each row execute function refuse_change();
create trigger trace_owner_stays before truncate on trace_owner
  for each statement execute function refuse_change();
grant select, delete on trace, trace_owner to touchstone_purge;
