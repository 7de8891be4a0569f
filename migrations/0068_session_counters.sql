-- governance/decisions: the counters of limits, flows and identical calls

-- A row counts the calls that were let through: per rule and window, and per session where the rule is
-- about sessions. A flow that has started is a counter, too.
create table session_counter (
  org_id text not null,
  agent_id text not null,
  -- The first 16 bytes of the SHA-256 of the key: rule, window and session.
  counter bytea not null,
  used integer not null,
  -- The limit when it was last counted. Exceeding it aborts the statement that stores the decisions.
  most integer not null,
  -- For calls without a session, the counts of the last 60 minutes by minute; else empty.
  minutes jsonb not null default '{}',
  -- The counter has no effect after this time.
  expires_at timestamptz not null,
  primary key (org_id, agent_id, counter),
  constraint session_counter_is_within check (used <= most)
) with (fillfactor = 50);
create index session_counter_by_agent on session_counter (agent_id);
create index session_counter_by_expiry on session_counter (expires_at);
