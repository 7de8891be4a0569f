-- governance/evaluations: what policies said of calls and traces, and when tools were first seen

-- Since when an agent uses a tool. Grace starts here, so no change of policy starts it again.
create table policy_first_seen (
  agent_id text not null,
  tool text collate "C" not null,
  first_seen_at timestamptz not null,
  primary key (agent_id, tool)
);

create table policy_evaluation (
  evaluation_id text not null,
  org_id text not null,
  agent_id text not null,
  context text not null,
  verdict text not null,
  -- Null where a transaction is all that holds.
  policy_id text,
  policy_version integer,
  enforcement_mode text not null,
  transaction_id text,
  -- The trace that was judged; null for a call that was asked about.
  trace_id text,
  violation_count integer not null,
  warning_count integer not null,
  -- The first findings and the coverage, as they were told.
  result jsonb not null,
  evaluated_at timestamptz not null,
  duration_ms double precision not null,
  primary key (agent_id, evaluated_at, evaluation_id)
);
create index policy_evaluation_by_verdict
  on policy_evaluation (agent_id, verdict, evaluated_at, evaluation_id);
create index policy_evaluation_by_age on policy_evaluation (evaluated_at);

-- When a violation was last told, so that a call that is tried again and again is told once a while.
create table policy_violation_told (
  agent_id text not null,
  -- 0 where no policy holds.
  policy_version integer not null,
  -- Of the names of the violating tools.
  tools_hash text not null,
  told_at timestamptz not null,
  primary key (agent_id, policy_version, tools_hash)
);

create trigger policy_first_seen_is_final before update or delete on policy_first_seen
  for each row execute function refuse_change();
create trigger policy_first_seen_stays before truncate on policy_first_seen
  for each statement execute function refuse_change();
create trigger policy_evaluation_is_final before update or delete on policy_evaluation
  for each row execute function refuse_change();
create trigger policy_evaluation_stays before truncate on policy_evaluation
  for each statement execute function refuse_change();
grant select, delete on policy_first_seen, policy_evaluation to touchstone_purge;

-- evidence/traces: what the policy of its time said of a trace; null where there was none
alter table trace add column policy jsonb;
