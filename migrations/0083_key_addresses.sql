-- platform/api-keys: the addresses that a key can be used from

alter table api_key
  -- Ranges in CIDR notation; empty for any address.
  add column allowed_ips text[] not null default '{}';
