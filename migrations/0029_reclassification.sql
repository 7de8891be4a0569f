-- evidence/checkpoints, control/reclassification: what violations turned out to be, and what was said

-- Beside the checkpoints, which are never changed for it. One row each: no undo, no second time.
create table checkpoint_reclassification (
  agent_id text not null,
  position bigint not null,
  new_type text not null check (new_type in ('card_gap', 'behavior_gap')),
  -- When a score first took it into account; null until then.
  applied_at timestamptz,
  primary key (agent_id, position)
);

-- Nothing ever set this.
alter table checkpoint drop column reclassification;
create index checkpoint_violation on checkpoint (agent_id, occurred_at, position)
  include (session_id, checkpoint_id)
  where verdict = 'boundary_violation' and synthetic_reason is null;

create or replace function refuse_record_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and
     to_jsonb(new) - 'linked_trace_id' = to_jsonb(old) - 'linked_trace_id' then
    return new;
  end if;
  if tg_op = 'DELETE' and current_user = 'touchstone_purge' then
    return old;
  end if;
  raise exception 'the record of a checkpoint is never changed' using errcode = 'restrict_violation';
end $$;

-- The columns named may be set once, together, while the first of them is null; nothing else changes.
create function refuse_all_but_settling() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(old) ->> tg_argv[0] is null
     and to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv then
    return new;
  end if;
  if tg_op = 'DELETE' and current_user = 'touchstone_purge' then
    return old;
  end if;
  raise exception 'a reclassification is never changed' using errcode = 'restrict_violation';
end $$;

create trigger checkpoint_reclassification_is_final
  before update or delete on checkpoint_reclassification
  for each row execute function refuse_all_but_settling('applied_at');
create trigger checkpoint_reclassification_stays before truncate on checkpoint_reclassification
  for each statement execute function refuse_change();

create table reclassification (
  agent_id text not null,
  reclassification_id text not null,
  checkpoint_id text not null,
  original_type text not null,
  new_type text not null check (new_type in ('card_gap', 'behavior_gap')),
  reason text not null,
  card_amendment_id text,
  -- The first that names an amendment is the one the amendment is linked to.
  links_amendment boolean not null,
  approved_by text not null,
  created_at timestamptz(3) not null,
  -- Published at that time; null for an agent that was not eligible.
  score_before smallint,
  score_after smallint,
  -- When the score was computed again; null while that is still to come.
  recomputed_at timestamptz,
  primary key (agent_id, reclassification_id),
  unique (agent_id, checkpoint_id)
);
create index reclassification_by_time
  on reclassification (agent_id, created_at desc, reclassification_id);
create index reclassification_pending on reclassification (agent_id) where recomputed_at is null;
create unique index reclassification_of_amendment on reclassification (agent_id, card_amendment_id)
  where links_amendment;

create trigger reclassification_is_final before update or delete on reclassification
  for each row execute function refuse_all_but_settling('recomputed_at', 'score_after');
create trigger reclassification_stays before truncate on reclassification
  for each statement execute function refuse_change();

-- The trail of an appeal: what an organisation said about violations of an agent, each entry linked
-- to the one before it.
create table violation_comment (
  agent_id text not null,
  entry_number bigint not null,
  comment_id text not null,
  checkpoint_id text not null,
  author text not null,
  text text not null,
  created_at timestamptz(3) not null,
  prev_hash text not null,
  entry_hash text not null,
  primary key (agent_id, entry_number)
);
create index violation_comment_by_checkpoint
  on violation_comment (agent_id, checkpoint_id, entry_number);

create trigger violation_comment_is_final before update or delete on violation_comment
  for each row execute function refuse_change();
create trigger violation_comment_stays before truncate on violation_comment
  for each statement execute function refuse_change();

grant select, delete on checkpoint_reclassification, reclassification, violation_comment
  to touchstone_purge;
