-- reputation/scores: the sessions whose traces had drifted, as a score counted them

-- Times cannot tell it: an alert may open in the millisecond of a computation, or be committed after
-- it with an earlier time.
alter table score add column drifted_sessions text[] not null default '{}';

-- Scores of before were told apart by time. All are computed again within the hour.
update score set drifted_sessions = found.session_ids
from (
  select score.agent_id, array_agg(distinct session_id order by session_id) as session_ids
  from score join drift_alert on drift_alert.agent_id = score.agent_id
  where kind = 'trace' and detected_at <= computed_at
  group by score.agent_id
) as found
where score.agent_id = found.agent_id;

-- Most agents have none of these, and each computation asks for them.
create index checkpoint_session_drifted on checkpoint_session (agent_id, session_id)
  where trace_drift;
