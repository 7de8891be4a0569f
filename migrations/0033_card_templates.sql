-- control/card-templates: what organisations lay over the cards of their agents

-- One row for every organisation that ever had a template, so that no number comes twice.
create table card_template (
  org_id text primary key,
  version integer not null,
  enabled boolean not null,
  -- As text, in the order of its author; null once deleted.
  template json,
  created_by text not null,
  updated_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (template is not null or not enabled)
);

-- Agents for which that was ever decided; all others are not exempt.
create table card_exemption (
  agent_id text primary key,
  exempt boolean not null,
  reason text,
  updated_by text not null,
  updated_at timestamptz not null,
  check (reason is not null or not exempt)
);
