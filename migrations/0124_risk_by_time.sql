-- risk/assessments: assessments of an organisation, newest first

create index risk_assessment_by_org_time on risk_assessment (org_id, created_at desc, assessment_id);
create index team_risk_assessment_by_org_time
  on team_risk_assessment (org_id, created_at desc, assessment_id);
drop index risk_assessment_by_org, team_risk_assessment_by_org;
