-- evidence/ledger, reputation/directory: who sent a checkpoint, and how many violations were excused

-- The API key, `user` for a session, `service` for a finding of the service itself. Not part of the
-- record. Null for checkpoints stored before.
alter table checkpoint add column sent_by text;

-- Violations by the UTC day of the decision, and those of them that are card gaps, so that a score
-- states both without reading history.
create table checkpoint_violation_day (
  agent_id text not null,
  day date not null,
  violation_count bigint not null default 0,
  card_gap_count bigint not null default 0,
  primary key (agent_id, day)
);

insert into checkpoint_violation_day (agent_id, day, violation_count, card_gap_count)
select c.agent_id, (c.occurred_at at time zone 'UTC')::date, count(*),
  count(*) filter (where r.new_type = 'card_gap')
from checkpoint c
left join checkpoint_reclassification r on r.agent_id = c.agent_id and r.position = c.position
where c.verdict <> 'clear' and c.synthetic_reason is null and c.violation_type is not null
group by 1, 2;

-- Counts of the last 90 days before the score was computed.
alter table directory_entry
  add column violation_count integer not null default 0,
  add column card_gap_count integer not null default 0;
