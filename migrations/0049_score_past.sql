-- reputation/scores: computations of the last day that another has followed, as they may still be published

create table score_past (
  agent_id text not null,
  computed_at timestamptz(3) not null,
  score smallint not null,
  grade text not null,
  confidence text not null,
  checkpoint_count bigint not null,
  components jsonb not null,
  root bytea not null,
  primary key (agent_id, computed_at)
);
create index score_past_by_age on score_past (computed_at);
