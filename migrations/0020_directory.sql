-- reputation/directory: published scores as they are searched, compared and summed up

-- Compared as numbers, which a search that filters does a hundred thousand times.
create type directory_grade as enum ('AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'CCC');
create type directory_confidence as enum ('insufficient', 'low', 'medium', 'high');

create table directory_entry (
  -- What every search looks at comes first: columns behind others cost more to reach.
  is_public boolean not null generated always as (visibility = 'public') stored,
  is_listed boolean not null generated always as (visibility <> 'private') stored,
  -- Name and id in small letters, as UTF-8, with a byte between them that no text contains.
  find_key bytea not null,
  agent_id text collate "C" primary key,
  org_id text collate "C" not null,
  name text not null,
  name_key text collate "C" not null,
  visibility text not null check (visibility in ('public', 'unlisted', 'private')),
  claimed boolean not null,
  score smallint not null,
  grade directory_grade not null,
  tier text not null,
  confidence directory_confidence not null,
  checkpoint_count bigint not null,
  trend_30d smallint not null,
  integrity_ratio smallint not null,
  compliance smallint not null,
  drift_stability smallint not null,
  trace_completeness smallint not null,
  coherence_compatibility smallint not null
);

-- One per order. They hold all that a search asks for, so that a deep page reads no rows.
create index directory_by_score on directory_entry (score desc, agent_id)
  include (is_public, org_id, grade, confidence, find_key) where is_listed;
create index directory_by_name on directory_entry (name_key, score desc, agent_id)
  include (is_public, org_id, grade, confidence, find_key) where is_listed;
create index directory_by_trend on directory_entry (trend_30d desc, score desc, agent_id)
  include (is_public, org_id, grade, confidence, find_key) where is_listed;
create index directory_by_checkpoints on directory_entry
  (checkpoint_count desc, score desc, agent_id)
  include (is_public, org_id, grade, confidence, find_key) where is_listed;

-- Finds rare texts at once. Without the extension every text is looked for in every entry, which
-- is slower and finds the same.
do $$
begin
  create extension if not exists pg_trgm;
  -- A short list of pending entries, in kilobytes: every search reads it from end to end.
  create index directory_by_text on directory_entry
    using gin (name_key gin_trgm_ops, lower(agent_id) gin_trgm_ops)
    with (gin_pending_list_limit = 512);
exception
  -- Whatever the reason is, a server that will not have it must not keep the service from starting.
  when others then raise notice 'searching the directory without pg_trgm: %', sqlerrm;
end $$;

-- How many are listed, as sums of rows that are only ever added, so that no writer waits for
-- another. Public ones have no organisation here; unlisted ones have theirs.
create table directory_tally (
  id bigint generated always as identity primary key,
  org_id text collate "C",
  grade directory_grade,
  confidence directory_confidence,
  entries integer not null
);

create function directory_tally_came() returns trigger language plpgsql as $$
begin
  insert into directory_tally (org_id, grade, confidence, entries)
    select case when not is_public then org_id end as owner, grade, confidence, count(*)
    from came where is_listed group by owner, grade, confidence;
  return null;
end $$;

create function directory_tally_went() returns trigger language plpgsql as $$
begin
  insert into directory_tally (org_id, grade, confidence, entries)
    select case when not is_public then org_id end as owner, grade, confidence, -count(*)
    from went where is_listed group by owner, grade, confidence;
  return null;
end $$;

create trigger directory_entry_inserted after insert on directory_entry
  referencing new table as came for each statement execute function directory_tally_came();
create trigger directory_entry_changed_to after update on directory_entry
  referencing new table as came for each statement execute function directory_tally_came();
create trigger directory_entry_changed_from after update on directory_entry
  referencing old table as went for each statement execute function directory_tally_went();
create trigger directory_entry_deleted after delete on directory_entry
  referencing old table as went for each statement execute function directory_tally_went();

-- The one row is as old as the last run over all agents.
create table directory_benchmark (
  single boolean primary key default true check (single),
  figures jsonb not null,
  computed_at timestamptz not null
);
