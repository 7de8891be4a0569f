-- log/entries: the entries of an agent's checkpoints in the order of the log, which scores count

create index log_entry_of_agent on log_entry (agent_id, type, log_index);
drop index log_entry_by_agent;
