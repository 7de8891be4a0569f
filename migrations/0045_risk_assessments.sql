-- risk/assessments: how risky it was to let one agent do one thing, as it was assessed

create table risk_assessment (
  assessment_id text primary key,
  -- Who asked, whosever agent it is.
  org_id text not null,
  agent_id text not null,
  -- Only where something of that agent was read.
  counterparty_id text,
  created_at timestamptz(3) not null,
  context json not null,
  result json not null,
  explanation text not null,
  -- Everything the result follows from, with the salt that hides it in the commitment.
  inputs json not null,
  inputs_commitment text not null
);
create index risk_assessment_by_agent
  on risk_assessment (agent_id, org_id, created_at desc, assessment_id);
create index risk_assessment_by_org on risk_assessment (org_id);
create index risk_assessment_by_counterparty on risk_assessment (counterparty_id)
  where counterparty_id is not null;

create trigger risk_assessment_is_final before update or delete on risk_assessment
  for each row execute function refuse_change();
create trigger risk_assessment_stays before truncate on risk_assessment
  for each statement execute function refuse_change();

grant select, delete on risk_assessment to touchstone_purge;
