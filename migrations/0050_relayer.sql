-- chain/relayer: transactions on their way to the chain, and the one node that sends them

create table relay_transaction (
  transaction_id text primary key,
  -- The order in which they were asked for, which is the order of their nonces.
  seq bigint generated always as identity,
  chain_id bigint not null,
  relayer text not null,
  kind text not null check (kind in ('deploy_anchor', 'deploy_registry', 'anchor', 'publication')),
  -- The anchor or publication that waits for it.
  subject text,
  -- Null where it makes a contract.
  to_address text,
  data bytea not null,
  -- queued: not signed. sent: signed, stored and, unless the node died right then, broadcast.
  state text not null check (state in ('queued', 'sent', 'mined', 'final', 'failed')),
  nonce bigint,
  gas_limit bigint,
  replacements smallint not null default 0,
  -- When the newest raw transaction was first broadcast, and when it last was.
  sent_at timestamptz,
  touched_at timestamptz,
  tx_hash text,
  block_number bigint,
  block_hash text,
  block_at timestamptz,
  gas_used bigint,
  contract_address text,
  failure text,
  created_at timestamptz not null,
  check ((nonce is null) or (state <> 'queued')),
  check (state not in ('sent', 'mined', 'final') or nonce is not null)
);
create unique index relay_transaction_nonce on relay_transaction (chain_id, relayer, nonce)
  where nonce is not null;
create index relay_transaction_open on relay_transaction (chain_id, relayer, seq)
  where state in ('queued', 'sent');
create index relay_transaction_unsure on relay_transaction (chain_id, relayer, block_number)
  where state = 'mined';
create unique index relay_transaction_deployed on relay_transaction (chain_id, relayer, kind)
  where kind in ('deploy_anchor', 'deploy_registry') and state <> 'failed';
create index relay_transaction_failed on relay_transaction (created_at) where state = 'failed';

-- Everything ever signed for a nonce: any of it may be the one that is mined.
create table relay_attempt (
  tx_hash text primary key,
  transaction_id text not null,
  raw bytea not null,
  max_fee bigint not null,
  tip bigint not null,
  created_at timestamptz not null
);
create index relay_attempt_by_transaction on relay_attempt (transaction_id, created_at);

create table relayer_lease (
  name text primary key,
  holder text not null,
  expires_at timestamptz not null
);

-- Made by the service for its own development chain; sealed.
create table relayer_key (
  chain_id bigint primary key,
  key_sealed text not null,
  created_at timestamptz not null
);

-- What administrators were told, once a day.
create table relayer_alert (
  raised_on date not null,
  reason text not null,
  primary key (raised_on, reason)
);
