-- platform/webhooks: what is to be sent, and what became of it

-- The bytes that are sent, once for all endpoints, attempts and redeliveries of an event.
create table webhook_message (
  event_id text primary key,
  org_id text not null,
  body text not null,
  created_at timestamptz not null
);
create index webhook_message_by_age on webhook_message (created_at);
create index webhook_message_by_org on webhook_message (org_id);

create table webhook_delivery (
  delivery_id text primary key,
  -- In which order they came to be, where times are equal.
  seq bigint generated always as identity,
  event_id text not null,
  endpoint_id text not null,
  org_id text not null,
  event_type text not null,
  -- Why it is there: 'event', or the id of the replay, test or delivery that asked for it.
  cause text not null,
  status text not null
    check (status in ('pending', 'delivering', 'retrying', 'delivered', 'failed')),
  attempt_count integer not null default 0,
  attempts jsonb not null default '[]',
  last_response_status integer,
  last_error text,
  latency_ms integer,
  -- When a worker may take it: when it is next to be tried or, once taken, when the lease ends.
  due_at timestamptz,
  -- Which taking it is in; whoever lost the lease must not write the outcome.
  claim text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((due_at is null) = (status in ('delivered', 'failed'))),
  check ((claim is null) = (status <> 'delivering'))
);
-- An event goes to an endpoint once for each cause, however often the work is begun again.
create unique index webhook_delivery_once on webhook_delivery (event_id, endpoint_id, cause);
create index webhook_delivery_due on webhook_delivery (endpoint_id, due_at, seq)
  where due_at is not null;
create index webhook_delivery_taken on webhook_delivery (endpoint_id, due_at)
  where status = 'delivering';
create index webhook_delivery_by_org on webhook_delivery (org_id, created_at desc, delivery_id);
-- Rows are written in the order of their age, so the least of indexes finds the oldest.
create index webhook_delivery_by_age on webhook_delivery using brin (created_at);
