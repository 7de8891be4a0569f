-- evidence/checkpoints: the order in which automatic anchors read the trees of all agents

create index chain_head_by_bytes on chain_head (agent_id collate "C");
