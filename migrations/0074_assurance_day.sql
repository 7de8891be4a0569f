-- evidence/ledger, evidence/traces and governance/decisions: counts that the assurance of a score is computed from

-- The checkpoints of the scoring set by the UTC day on which they were received, so that a score
-- never reads checkpoints. Maintained by the statement that stores them.
create table assurance_day (
  agent_id text not null,
  day date not null,
  clear_count integer not null,
  -- Clear ones set aside, as evidence that says little; one may be in both.
  burst_count integer not null,
  novelty_count integer not null,
  -- Not set aside.
  effective_count integer not null,
  -- Effective ones, by who saw them.
  observed_count integer not null,
  relayed_count integer not null,
  primary key (agent_id, day)
);

insert into assurance_day
select agent_id, (created_at at time zone 'UTC')::date as day,
  count(*) filter (where verdict = 'clear'),
  count(*) filter (where verdict = 'clear' and 'burst' = any(flags)),
  count(*) filter (where verdict = 'clear' and flags && '{low_novelty,word_salad}'),
  count(*) filter (where is_effective),
  count(*) filter (where is_effective and provenance = 'observed'),
  count(*) filter (where is_effective and provenance = 'relayed')
from (
  select *, verdict <> 'clear' or not flags && '{burst,low_novelty,word_salad}' as is_effective
  from checkpoint
  where synthetic_reason is null and not excluded and created_at > now() - interval '91 days'
) as scored
group by agent_id, day;

-- Only verified traces count towards trace completeness. Traces that retention has deleted can no
-- longer be counted; they keep counting as they did.
alter table trace_tally add column verified bigint not null default 0;
update trace_tally set verified = stored;
update trace_tally set verified = stored - unverified
from (select agent_id, count(*) as unverified from trace where not verified group by agent_id) as found
where found.agent_id = trace_tally.agent_id;

-- The decisions that allowed a call by the UTC day of the decision, and those of them whose outcome
-- is known. Decisions that are not folded yet are added when they are.
create table decision_outcome_day (
  agent_id text not null,
  day date not null,
  allowed_count bigint not null default 0,
  known_count bigint not null default 0,
  primary key (agent_id, day)
);

insert into decision_outcome_day (agent_id, day, allowed_count, known_count)
select agent_id, day, sum(allowed), sum(known)
from (
  select agent_id, (start at time zone 'UTC')::date as day, sum(count) as allowed, 0 as known
  from decision_count
  where grouped_by = 'all' and resolution = 'day' and decision in ('allow', 'warn')
    and start > now() - interval '91 days'
  group by 1, 2
  union all
  select k.agent_id,
    (timestamp 'epoch' + interval '1 ms' *
      ('x' || translate(left(d.decision_id::text, 13), '-', ''))::bit(48)::bigint)::date,
    0, count(*)
  from decision d join decision_kind k using (org_id, kind_id)
  where d.outcome_at is not null and k.decision in ('allow', 'warn')
    and d.outcome_at > now() - interval '91 days'
  group by 1, 2
) as counted
group by agent_id, day;
