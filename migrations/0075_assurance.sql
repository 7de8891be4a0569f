-- reputation/scores and reputation/directory: the assurance of scores, null until the next computation

alter table score
  add column assurance smallint check (assurance between 0 and 4),
  add column assured_score smallint;
alter table score_past
  add column assurance smallint check (assurance between 0 and 4),
  add column assured_score smallint;
alter table score_snapshot
  add column assurance smallint check (assurance between 0 and 4),
  add column assured_score smallint;
alter table directory_entry
  add column assurance smallint check (assurance between 0 and 4),
  add column assured_score smallint;

-- The number of traces that count. Scores computed before this migration counted all traces.
update score set basis = (basis - 'tracesStored')
  || jsonb_build_object('tracesVerified', basis -> 'tracesStored')
where basis ? 'tracesStored';

-- No assurance was counted yet.
update directory_benchmark set figures = figures || '{"assuranceLevels": []}';
