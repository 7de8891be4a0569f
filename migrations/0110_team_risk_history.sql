-- risk/assessments: the history of a team, newest first

create index team_risk_assessment_by_team
  on team_risk_assessment (team_id, created_at desc, assessment_id) where team_id is not null;
