-- evidence/traces: how many traces an agent ever stored, which retention does not lessen

create table trace_tally (
  agent_id text primary key,
  stored bigint not null
);
insert into trace_tally select agent_id, count(*) from trace_owner group by agent_id;
