-- governance/decisions: events of blocked calls at most once a minute, and checkpoints of bypasses

-- One row for blocked calls of one agent, policy version and tool.
create table decision_block_told (
  agent_id text not null,
  -- 0 without a policy.
  policy_version integer not null,
  tool text collate "C" not null,
  org_id text not null,
  -- The decision in the last event, its time, and the number of blocked calls that it reported.
  decision_id uuid not null,
  told_at timestamptz not null,
  told_count integer not null,
  -- Calls that were blocked since, and the newest of them.
  untold_count integer not null,
  untold_id uuid,
  primary key (agent_id, policy_version, tool),
  check ((untold_count > 0) = (untold_id is not null))
);
create index decision_block_told_by_time on decision_block_told (told_at);

-- One more analyser. Stored rows satisfy the narrower constraint, so none needs to be read.
alter table checkpoint
  drop constraint checkpoint_analyzer_check,
  add constraint checkpoint_analyzer_check
    check (analyzer in ('llm', 'rules', 'none', 'gateway')) not valid;
