-- evidence/attestation: the trees over what was analysed, and the certificates of all that was stored

-- Only nodes whose leaves all exist: they never change, so a tree grows by inserts alone.
create table merkle_node (
  agent_id text not null,
  level smallint not null check (level >= 0),
  index bigint not null check (index >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  primary key (agent_id, level, index)
) partition by hash (agent_id);

-- What no other column says. The rest of a certificate is rebuilt from what is read every day, so
-- that a change there shows.
create table certificate (
  agent_id text not null,
  position bigint not null check (position >= 0),
  certificate_id text not null,
  key_id text not null,
  signature bytea not null check (octet_length(signature) = 64),
  -- As exact as a certificate says it: a finer time could be changed and nobody would see it.
  issued_at timestamptz(3) not null,
  base_url text not null,
  certificate_hash bytea not null check (octet_length(certificate_hash) = 32),
  primary key (agent_id, position)
) partition by hash (agent_id);

do $$
declare
  owned text;
begin
  foreach owned in array array['merkle_node', 'certificate'] loop
    for part in 0..15 loop
      execute format(
        'create table %1$s_%2$s partition of %1$s for values with (modulus 16, remainder %2$s)',
        owned, part);
      -- Row triggers come from the parent; one against truncation each partition needs for itself.
      execute format(
        'create trigger %1$s_stays before truncate on %1$s_%2$s
           for each statement execute function refuse_change()', owned, part);
    end loop;
  end loop;
end $$;

-- The leaves of erased agents, under keccak256 of the id, so that anchored trees still verify.
create table erased_leaf (
  id_hash text not null,
  leaf_index bigint not null,
  leaf_hash bytea not null,
  primary key (id_hash, leaf_index)
);

create trigger merkle_node_is_final before update or delete on merkle_node
  for each row execute function refuse_change();
create trigger merkle_node_stays before truncate on merkle_node
  for each statement execute function refuse_change();
create trigger certificate_is_final before update or delete on certificate
  for each row execute function refuse_change();
create trigger certificate_stays before truncate on certificate
  for each statement execute function refuse_change();
create trigger erased_leaf_is_final before update or delete on erased_leaf
  for each row execute function refuse_change();
create trigger erased_leaf_stays before truncate on erased_leaf
  for each statement execute function refuse_change();
grant select, delete on merkle_node, certificate to touchstone_purge;
