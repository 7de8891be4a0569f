-- fleet/team-reputation: counted assessments of teams, what is published of them, and before

-- One row per team with anything of this; whoever adds or computes locks it.
create table team_score (
  team_id text primary key,
  -- Of the chain of counted assessments.
  chain_length integer not null,
  chain_head text,
  last_assessed_at timestamptz(3),
  -- A computation is queued for then.
  due_at timestamptz(3),
  -- From here on what was published; null before the first computation.
  computed_at timestamptz(3),
  -- Null while the team is not eligible.
  score smallint,
  grade text not null,
  tier text not null,
  confidence text not null,
  trend_30d smallint not null,
  components jsonb not null,
  -- How much of the chain and of the roster's changes it speaks of.
  assessments_used integer not null,
  roster_used integer not null,
  chain_head_used text,
  proof_hash text
);

-- Each bound to all before it by its hash.
create table team_assessment (
  team_id text not null,
  position integer not null,
  assessment_id text not null unique,
  created_at timestamptz(3) not null,
  -- Coherence and structural risk, millionths.
  cq integer not null check (cq between 0 and 1000000),
  sr integer not null check (sr between 0 and 1000000),
  level text not null check (level in ('low', 'medium', 'high', 'critical')),
  chain_hash text not null,
  primary key (team_id, position)
);
create index team_assessment_by_day on team_assessment (team_id, created_at);
create trigger team_assessment_is_final before update or delete on team_assessment
  for each row execute function refuse_change();
create trigger team_assessment_stays before truncate on team_assessment
  for each statement execute function refuse_change();
grant select, delete on team_assessment to touchstone_purge;

-- The members whose scores the published one rests on, as they stood.
create table team_score_member (
  team_id text not null,
  place smallint not null,
  -- Null once the agent is erased.
  agent_id text,
  score smallint,
  merkle_root text,
  score_hash text not null,
  primary key (team_id, place)
);
create index team_score_member_by_agent on team_score_member (agent_id);

-- One entry per change, for the trend.
create table team_score_log (
  team_id text not null,
  at timestamptz(3) not null,
  score smallint not null,
  primary key (team_id, at)
);

create table team_score_snapshot (
  team_id text not null,
  week_start date not null,
  score smallint not null,
  grade text not null,
  components jsonb not null,
  total_assessments integer not null,
  created_at timestamptz(3) not null,
  primary key (team_id, week_start)
);
