-- governance/evaluations: the organisation in the key of evaluations
-- concurrently
create unique index concurrently policy_evaluation_key
  on policy_evaluation (agent_id, evaluated_at, evaluation_id, org_id);
