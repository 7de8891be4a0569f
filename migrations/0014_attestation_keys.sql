-- evidence/attestation: the keys that sign certificates, published for ever

create table attestation_key (
  key_id text primary key,
  public_key text not null,
  -- Only the active key can sign: what no longer exists cannot leak.
  seed_sealed text,
  created_at timestamptz not null,
  retired_at timestamptz,
  constraint attestation_key_seed check ((retired_at is null) = (seed_sealed is not null))
);
-- Nodes that start together agree on one key, because only one row can be the active one.
create unique index attestation_key_active on attestation_key ((true)) where retired_at is null;

-- A certificate can be checked only while its key is published, so no key is ever removed.
create trigger attestation_key_stays before delete on attestation_key
  for each row execute function refuse_change();
create trigger attestation_key_remains before truncate on attestation_key
  for each statement execute function refuse_change();
