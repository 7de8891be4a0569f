-- fleet/intelligence: fault lines, forecasts and recommended policies of teams, as they were given

create table team_insight (
  item_id text primary key,
  -- The order in which they came; several may come at one time.
  position bigint generated always as identity,
  org_id text not null,
  team_id text not null,
  type text not null check (type in ('fault_lines', 'forecast', 'recommendation')),
  -- The analysis it rests on, which rests on itself.
  analysis_id text not null check ((type = 'fault_lines') = (analysis_id = item_id)),
  -- Everybody it names; it goes when one of them is erased.
  agent_ids text[] not null,
  producer_kind text not null check (producer_kind in ('algorithm', 'model', 'rules')),
  producer_name text not null,
  producer_version text not null,
  -- Why no model said it, though there is one.
  fallback_reason text check (
    fallback_reason in ('timeout', 'http_error', 'invalid_output', 'invalid_policy')
  ),
  -- As text, since nothing is ever looked for in it.
  content json not null,
  created_at timestamptz not null,
  check (fallback_reason is null or producer_kind = 'rules')
);
create index team_insight_by_team on team_insight (team_id, position desc);
create index team_insight_by_analysis on team_insight (analysis_id, position desc);
create index team_insight_by_agent on team_insight using gin (agent_ids);
create index team_insight_by_age on team_insight (created_at);

create trigger team_insight_is_final before update or delete on team_insight
  for each row execute function refuse_change();
create trigger team_insight_stays before truncate on team_insight
  for each statement execute function refuse_change();
grant select, delete on team_insight to touchstone_purge;
