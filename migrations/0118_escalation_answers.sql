-- governance/approvals: how often somebody answered

alter table escalation add column answers integer not null default 0;
update escalation set answers = jsonb_array_length(approvals);
