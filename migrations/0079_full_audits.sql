-- evidence/auditor: full walks that somebody asked for

alter table chain_audit
  add column full_requested_at timestamptz,
  -- When the last walk that was asked for ended; null while the first one is under way.
  add column full_finished_at timestamptz;
