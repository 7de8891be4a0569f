-- governance/approvals: an approval is for one call, which a person sees before answering

alter table escalation
  -- SHA-256 in hex; null for a call without arguments.
  add column arguments_hash text,
  -- Canonical JSON, encrypted; null if not stored, and from 24 hours after the end.
  add column arguments_sealed text,
  add column arguments_truncated boolean not null default false,
  -- The agent's own words.
  add column justification text,
  -- The rules that escalated: [{condition, reason}]. An approval lifts these and no others.
  add column triggers jsonb not null default '[]',
  -- The key, connection or user that asked; null for escalations before this column.
  add column requested_by text,
  -- The decision that opened the escalation.
  add column decision_id text,
  -- Who can approve what, as the policy said then: {required, roles, scopes, local}.
  add column rule jsonb not null
    default '{"required": 1, "roles": ["owner", "admin"], "scopes": ["call"], "local": false}',
  -- Given so far: [{by, at, note, scope, ttl_minutes}].
  add column approvals jsonb not null default '[]',
  -- Set once it is approved.
  add column scope text,
  add column valid_until timestamptz,
  add column uses_left integer;

update escalation set scope = 'call', valid_until = resolved_at + interval '15 minutes',
  uses_left = case when used_at is null then 1 else 0 end
where status = 'approved';

create unique index escalation_pending_call on escalation
  (agent_id, tool, coalesce(session_id, ''), coalesce(arguments_hash, ''))
  where status = 'pending';
drop index escalation_pending;
create index escalation_approved on escalation (agent_id, tool, valid_until)
  where status = 'approved' and uses_left > 0;
create index escalation_with_arguments on escalation (coalesce(resolved_at, expires_at))
  where arguments_sealed is not null;
