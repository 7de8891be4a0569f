-- evidence/traces: how the service came to know a trace, and the gateway's decision it is about

alter table trace
  add column provenance text not null default 'reported',
  add column decision_id text;
alter table trace
  add constraint trace_provenance_check
    check (provenance in ('observed', 'relayed', 'reported', 'imported')) not valid;

-- A decision counts for one trace only.
create unique index trace_by_decision on trace (agent_id, decision_id)
  where decision_id is not null;
