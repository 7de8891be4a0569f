-- evidence/checkpoints: decisions as the service analysed them, chained per agent and never changed

-- One row per agent, locked while something is added: chain and tree then have no gap. It also keeps
-- the counts that are read often, so that nobody has to count history.
create table chain_head (
  agent_id text primary key,
  length bigint not null default 0,
  chain_hash bytea,
  leaf_count bigint not null default 0,
  -- The roots of the complete subtrees that make up the tree, left to right, 32 bytes each.
  edge bytea not null default '',
  -- Timestamps of the last ten analysed checkpoints in chain order, in milliseconds.
  recent_at bigint[] not null default '{}',
  -- Of the scoring set.
  clear_count bigint not null default 0,
  review_count bigint not null default 0,
  violation_count bigint not null default 0,
  excluded_count bigint not null default 0,
  latest_verdict text,
  -- Sessions with at least three of the scoring set, and those of them that are not stable.
  sessions_scored bigint not null default 0,
  sessions_unstable bigint not null default 0,
  session_count bigint not null default 0,
  leaf_at timestamptz,
  -- The agent is archived: nothing is added any more.
  closed boolean not null default false
);
insert into chain_head (agent_id, closed) select agent_id, status = 'archived' from agent;

create table checkpoint (
  agent_id text not null,
  position bigint not null,
  checkpoint_id text not null,
  session_id text not null,
  card_id text not null,
  -- As exact as the record says it: a finer time could be changed and nobody would see it.
  occurred_at timestamptz(3) not null,
  created_at timestamptz not null,
  provider text not null,
  model text not null,
  verdict text not null check (verdict in ('clear', 'review_needed', 'boundary_violation')),
  violation_type text,
  concerns jsonb not null,
  reasoning_summary text not null,
  conscience_context jsonb not null,
  window_index smallint,
  window_size smallint,
  analyzer text not null check (analyzer in ('llm', 'rules', 'none')),
  analysis_model text not null,
  analysis_duration_ms integer not null,
  confidence double precision not null,
  -- What analysis_metadata says beyond the columns here.
  analysis_details jsonb not null,
  -- Null for what was analysed; the others are called synthetic and are no leaves.
  synthetic_reason text,
  flags text[] not null,
  excluded boolean not null,
  cross_validation_warnings text[] not null,
  thinking_hash bytea not null,
  output_hash bytea,
  card_hash bytea not null,
  values_hash bytea not null,
  context_hash bytea not null,
  template_version text not null,
  -- Both text hashes as one short key, by which equal content is found.
  content_key bytea not null,
  record_hash bytea not null,
  previous_hash bytea,
  chain_hash bytea not null,
  leaf_index bigint,
  -- Outside the record: these two may be set later.
  linked_trace_id text,
  reclassification text check (reclassification in ('card_gap', 'behavior_gap')),
  primary key (agent_id, position)
) partition by hash (agent_id);

create index checkpoint_by_time on checkpoint (agent_id, occurred_at desc, position desc);
create index checkpoint_by_session on checkpoint (agent_id, session_id, position desc);
create index checkpoint_by_content on checkpoint (agent_id, content_key, occurred_at)
  where synthetic_reason is null;
-- What went wrong is asked for most and is little.
create index checkpoint_not_clear on checkpoint (agent_id, occurred_at desc, position desc)
  where verdict <> 'clear';

-- Where an id lies: the id alone does not say in which partition.
create table checkpoint_owner (
  checkpoint_id text primary key,
  agent_id text not null,
  position bigint not null
);
create index checkpoint_owner_by_agent on checkpoint_owner (agent_id);

create table checkpoint_session (
  agent_id text not null,
  session_id text not null,
  checkpoint_count bigint not null default 0,
  clear_count bigint not null default 0,
  review_count bigint not null default 0,
  violation_count bigint not null default 0,
  scored_count bigint not null default 0,
  -- Positions of the last ten analysed checkpoints, oldest first.
  window_positions bigint[] not null default '{}',
  -- The running streak of non-clear checkpoints of the scoring set, and of clear ones.
  streak jsonb,
  calm integer not null default 0,
  -- An integrity alert was opened and the session has not recovered since.
  alerted boolean not null default false,
  unstable boolean not null default false,
  trace_drift boolean not null default false,
  started_at timestamptz,
  last_at timestamptz,
  primary key (agent_id, session_id)
);
create index checkpoint_session_by_time on checkpoint_session (agent_id, last_at desc, session_id);

-- Only what is outside the record may be changed.
create function refuse_record_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and
     to_jsonb(new) - '{linked_trace_id,reclassification}'::text[]
       = to_jsonb(old) - '{linked_trace_id,reclassification}'::text[] then
    return new;
  end if;
  if tg_op = 'DELETE' and current_user = 'touchstone_purge' then
    return old;
  end if;
  raise exception 'the record of a checkpoint is never changed' using errcode = 'restrict_violation';
end $$;

create trigger checkpoint_is_final before update or delete on checkpoint
  for each row execute function refuse_record_change();
create trigger checkpoint_owner_is_final before update or delete on checkpoint_owner
  for each row execute function refuse_change();
create trigger checkpoint_owner_stays before truncate on checkpoint_owner
  for each statement execute function refuse_change();
create trigger checkpoint_stays before truncate on checkpoint
  for each statement execute function refuse_change();

do $$
begin
  for part in 0..15 loop
    execute format(
      'create table checkpoint_%s partition of checkpoint for values with (modulus 16, remainder %s)',
      part, part);
    execute format(
      'create trigger checkpoint_stays before truncate on checkpoint_%s
         for each statement execute function refuse_change()', part);
  end loop;
end $$;

grant select, delete on checkpoint, checkpoint_owner to touchstone_purge;
