-- governance/approvals and platform/webhooks: messages about new escalations

-- Where an organisation hears of escalations. Slack and Teams are endpoints of webhooks, below.
create table approval_channel (
  org_id text primary key,
  member_ids text[] not null,
  updated_at timestamptz not null
);

-- When the channels were told of the escalation, so that each hears of it once.
alter table escalation add column told_at timestamptz;

-- An endpoint of another feature, such as approvals_slack: it gets the messages of that feature and no
-- events. Its address is a secret, so secret_sealed has it, and url only its origin.
alter table webhook_endpoint add column channel text;
create unique index webhook_endpoint_of_channel on webhook_endpoint (org_id, channel)
  where channel is not null;
