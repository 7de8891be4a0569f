-- governance/gateway: calls that wait for a person's word

create table escalation (
  escalation_id text primary key,
  org_id text not null,
  agent_id text not null,
  tool text not null,
  session_id text,
  transaction_id text,
  reason text not null,
  -- As it was written last: a pending one past its end is expired, whatever stands here.
  status text not null check (status in ('pending', 'approved', 'rejected', 'expired')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  resolved_by text,
  resolved_at timestamptz,
  note text,
  -- An approval is for one call; whoever writes this first has made it.
  used_at timestamptz,
  check ((status in ('approved', 'rejected')) = (resolved_at is not null)),
  check ((resolved_at is null) = (resolved_by is null)),
  check (note is null or resolved_at is not null),
  check (used_at is null or status = 'approved')
);
-- One question at a time about the same thing, whatever happens at the same time.
create unique index escalation_pending on escalation (agent_id, tool, coalesce(session_id, ''))
  where status = 'pending';
create index escalation_by_org on escalation (org_id, created_at desc, escalation_id);
create index escalation_by_agent on escalation (agent_id, created_at desc, escalation_id);
create index escalation_by_end on escalation (coalesce(resolved_at, expires_at));
