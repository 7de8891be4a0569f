-- evidence/traces: an id of a trace is unique within its organisation

-- Every agent of a trace still exists, because erasing an agent deletes its rows here.
create table trace_owner_by_org (
  org_id text not null,
  trace_id text not null,
  agent_id text not null,
  primary key (org_id, trace_id)
);
insert into trace_owner_by_org (org_id, trace_id, agent_id)
select agent.org_id, trace_owner.trace_id, trace_owner.agent_id
from trace_owner join agent on agent.agent_id = trace_owner.agent_id;

drop table trace_owner;
alter table trace_owner_by_org rename to trace_owner;
alter index trace_owner_by_org_pkey rename to trace_owner_pkey;
create index trace_owner_by_agent on trace_owner (agent_id);

create trigger trace_owner_is_final before update or delete on trace_owner
  for each row execute function refuse_change();
create trigger trace_owner_stays before truncate on trace_owner
  for each statement execute function refuse_change();
grant select, delete on trace_owner to touchstone_purge;
