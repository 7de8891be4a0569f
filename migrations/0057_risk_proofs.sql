-- risk/proofs: proofs that risk scores follow from their committed inputs

create table risk_proof (
  proof_id text primary key,
  assessment_id text not null unique,
  org_id text not null,
  -- Whom the assessment is about, so that it goes with them.
  agent_id text not null,
  counterparty_id text,
  status text not null check (status in ('pending', 'proving', 'verified', 'failed')),
  attempts integer not null default 0,
  -- Pending: when it is tried next. Proving: until when whoever tries may be waited for.
  due_at timestamptz(3),
  -- Names one try, so that none ends what another one began.
  claim text,
  error text,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  verified_at timestamptz(3),
  check ((due_at is not null) = (status in ('pending', 'proving'))),
  check ((claim is not null) = (status = 'proving')),
  check ((verified_at is not null) = (status = 'verified'))
);
create index risk_proof_due on risk_proof (status, due_at, proof_id) where due_at is not null;
create index risk_proof_by_agent on risk_proof (agent_id);
create index risk_proof_by_counterparty on risk_proof (counterparty_id)
  where counterparty_id is not null;
create index risk_proof_by_org on risk_proof (org_id);

-- A verified one is at its end.
create trigger risk_proof_is_final before update on risk_proof
  for each row when (old.status = 'verified') execute function refuse_change();

create table risk_receipt (
  proof_id text primary key,
  org_id text not null,
  agent_id text not null,
  counterparty_id text,
  proof_type text not null,
  system text not null,
  system_version text not null,
  security_bits integer not null,
  audited boolean not null,
  program_id text not null,
  formula text not null,
  journal bytea not null,
  proof bytea not null,
  -- Hex.
  proof_sha256 text not null,
  proving_ms integer not null
);
-- It is random, and not worth the time to compress.
alter table risk_receipt alter column proof set storage external;
create index risk_receipt_by_agent on risk_receipt (agent_id);
create index risk_receipt_by_counterparty on risk_receipt (counterparty_id)
  where counterparty_id is not null;
create index risk_receipt_by_org on risk_receipt (org_id);

create trigger risk_receipt_is_final before update or delete on risk_receipt
  for each row execute function refuse_change();
create trigger risk_receipt_stays before truncate on risk_receipt
  for each statement execute function refuse_change();

grant select, delete on risk_proof, risk_receipt to touchstone_purge;
