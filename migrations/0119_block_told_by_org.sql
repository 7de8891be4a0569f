-- governance/decisions: the organisation first in the key of the events of blocked calls

alter table decision_block_told
  drop constraint decision_block_told_pkey,
  add primary key (org_id, agent_id, policy_version, tool);
