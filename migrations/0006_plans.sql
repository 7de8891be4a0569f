-- platform/plans: subscriptions, metered usage and the quota notices already given

create table subscription (
  org_id text primary key,
  plan_id text not null
    check (plan_id in ('plan-free', 'plan-developer', 'plan-team', 'plan-enterprise')),
  status text not null check (status in ('trialing', 'active', 'past_due', 'canceled')),
  -- Limit name to number, or to null for unlimited; a name that is absent is not overridden.
  overrides jsonb not null default '{}',
  -- Set while the subscription is to end with its period.
  cancels_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index subscription_cancelling on subscription (cancels_at) where cancels_at is not null;

-- Insert-only, so that work of one organisation never waits for other work of it.
create table usage_delta (
  id bigint generated always as identity primary key,
  org_id text not null,
  meter text not null
    check (meter in ('checks', 'team_reputation', 'risk_assessment', 'team_risk_assessment')),
  day date not null,
  amount integer not null check (amount > 0)
);
create index usage_delta_by_org on usage_delta (org_id);

create table usage_daily (
  org_id text not null,
  meter text not null
    check (meter in ('checks', 'team_reputation', 'risk_assessment', 'team_risk_assessment')),
  day date not null,
  amount bigint not null,
  primary key (org_id, day, meter)
);
create index usage_daily_by_age on usage_daily (day);

-- A row says that this notice was given; the key is what makes it once.
create table quota_notice (
  org_id text not null,
  meter text not null,
  period_start date not null,
  kind text not null check (kind in ('warning', 'exceeded')),
  created_at timestamptz not null,
  primary key (org_id, meter, period_start, kind)
);
create index quota_notice_by_age on quota_notice (period_start);
