-- governance/approvals: every key that asked reads the escalation, and none of them resolves it

alter table escalation add column askers text[] not null default '{}';
update escalation set askers = array[requested_by] where requested_by is not null;
