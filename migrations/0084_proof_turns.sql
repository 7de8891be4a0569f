-- risk/proofs: organisations take turns at the prover

create table risk_proof_turn (
  org_id text primary key,
  -- When a proof of the organisation was last claimed.
  claimed_at timestamptz not null
);
grant select, delete on risk_proof_turn to touchstone_purge;

create index risk_proof_due_by_org on risk_proof (org_id, due_at, proof_id)
  where status = 'pending';
