-- platform/webhooks: where organisations want to hear of events

create table webhook_endpoint (
  endpoint_id text primary key,
  org_id text not null,
  account_id text not null,
  url text not null,
  description text,
  event_types text[] not null,
  is_active boolean not null,
  -- Whether the plan includes webhooks; follows subscription.status_changed in its transaction.
  is_entitled boolean not null,
  consecutive_failures integer not null,
  disabled_at timestamptz,
  disabled_reason text,
  -- Sealed with SECRET_KEY. The one before it signs too, until its time is over.
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (is_active = (disabled_at is null))
);
create index webhook_endpoint_by_org on webhook_endpoint (org_id, created_at, endpoint_id);
