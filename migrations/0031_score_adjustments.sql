-- reputation/scores: points that corrections of others' scores brought an agent, each for 90 days

create table score_adjustment (
  agent_id text not null,
  adjustment_id text not null,
  hop smallint not null,
  -- In ten-thousandths of a point.
  points_e4 integer not null,
  created_at timestamptz(3) not null,
  valid_until timestamptz(3) not null,
  primary key (agent_id, adjustment_id)
);
create index score_adjustment_valid on score_adjustment (agent_id, valid_until)
  include (created_at, points_e4);
create index score_adjustment_by_end on score_adjustment (valid_until);
