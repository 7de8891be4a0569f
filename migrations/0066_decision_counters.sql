-- governance/decisions: counts for statistics, which never scan decisions

-- Written by the statement that stores the decisions, one row per batch and series. Append-only, so
-- that processes do not wait for each other's commits; a job adds the rows to the counters below.
create table decision_delta (
  org_id text not null,
  minute timestamptz not null,
  agent_id text not null,
  tool text collate "C" not null,
  decision text not null,
  source text not null,
  count integer not null,
  -- The histogram bucket of each decision.
  durations smallint[] not null
);
create index decision_delta_by_minute on decision_delta (org_id, minute);
create index decision_delta_by_agent on decision_delta (agent_id);

-- Counts per minute, hour and day: of each series (grouped_by `all`), and the sums of all series by one
-- column, in which the other columns are empty.
create table decision_count (
  org_id text not null,
  grouped_by text not null check (grouped_by in ('all', 'agent', 'tool', 'decision', 'source')),
  resolution text not null check (resolution in ('minute', 'hour', 'day')),
  start timestamptz not null,
  agent_id text not null,
  tool text collate "C" not null,
  decision text not null,
  source text not null,
  count bigint not null,
  primary key (org_id, grouped_by, resolution, start, agent_id, tool, decision, source)
);
-- For the erasure of an agent.
create index decision_count_by_agent on decision_count (agent_id) where agent_id <> '';

-- How many decisions took how long: 64 counts, one per bucket of a log scale. Sums of an organisation,
-- so they stay when an agent is erased.
create table decision_duration (
  org_id text not null,
  resolution text not null check (resolution in ('minute', 'hour', 'day')),
  start timestamptz not null,
  counts integer[] not null check (cardinality(counts) = 64),
  primary key (org_id, resolution, start)
);
