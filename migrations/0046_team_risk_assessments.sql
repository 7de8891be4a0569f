-- risk/assessments: the same of agents together

-- Numbers only: they outlive the agents.
create table team_risk_assessment (
  assessment_id text primary key,
  org_id text not null,
  -- The team it is linked to, if any.
  team_id text,
  created_at timestamptz(3) not null,
  level text not null check (level in ('low', 'medium', 'high', 'critical')),
  score_e4 integer not null,
  coherence_e4 integer not null,
  -- Millionths.
  aggregate_risk integer not null,
  coherence integer not null,
  structural_risk integer not null
);
create index team_risk_assessment_by_org on team_risk_assessment (org_id);

-- What names the members. It goes with the first of them that is erased.
create table team_risk_document (
  assessment_id text primary key,
  org_id text not null,
  agent_ids text[] not null,
  context json not null,
  result json not null,
  inputs json not null,
  inputs_commitment text not null
);
create index team_risk_document_by_org on team_risk_document (org_id);
create index team_risk_document_by_agent on team_risk_document using gin (agent_ids);

create trigger team_risk_assessment_is_final before update or delete on team_risk_assessment
  for each row execute function refuse_change();
create trigger team_risk_assessment_stays before truncate on team_risk_assessment
  for each statement execute function refuse_change();
create trigger team_risk_document_is_final before update or delete on team_risk_document
  for each row execute function refuse_change();
create trigger team_risk_document_stays before truncate on team_risk_document
  for each statement execute function refuse_change();

grant select, delete on team_risk_assessment, team_risk_document to touchstone_purge;
