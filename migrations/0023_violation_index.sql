-- evidence/checkpoints: the violations of an agent, all that a score asks of them, without the rows

create index checkpoint_violation on checkpoint (agent_id, occurred_at, position)
  include (session_id, checkpoint_id, reclassification)
  where verdict = 'boundary_violation' and synthetic_reason is null;
