-- governance/evaluations: most evaluations pass and are never asked for by their verdict, so only
-- the others are kept in that order; with every decision one index less is written

create index policy_evaluation_not_passed
  on policy_evaluation (agent_id, verdict, evaluated_at, evaluation_id) where verdict <> 'pass';
-- Last: from here on nobody can read the table until all is done.
drop index policy_evaluation_by_verdict;
