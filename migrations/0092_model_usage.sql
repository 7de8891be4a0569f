-- gateway/turns: turns and tokens of agents at their model providers, by hour

create table model_usage (
  org_id text not null,
  agent_id text not null,
  hour timestamptz not null,
  -- As the client asked, and as the provider answered; budgets look at both.
  requested_model text not null,
  model text not null,
  turns integer not null default 0,
  input_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  tool_calls integer not null default 0,
  blocked integer not null default 0,
  ungoverned integer not null default 0,
  primary key (org_id, agent_id, hour, requested_model, model)
);
create index model_usage_by_agent on model_usage (agent_id, hour);
