-- governance/evaluations: by month, which is dropped as a whole when its retention ends
-- compatible: the name and the columns stay, and no node relies on the shorter key

-- Existing rows become the default partition, so nothing is copied. The new table has the
-- guards of rows, which its partitions take over.
drop trigger policy_evaluation_is_final on policy_evaluation;
alter table policy_evaluation drop constraint policy_evaluation_pkey;
alter table policy_evaluation rename to policy_evaluation_default;
alter table policy_evaluation_default
  add constraint policy_evaluation_default_pkey primary key using index policy_evaluation_key;
alter index policy_evaluation_not_passed rename to policy_evaluation_default_not_passed;
alter index policy_evaluation_by_age rename to policy_evaluation_default_by_age;

create table policy_evaluation (like policy_evaluation_default including defaults including storage)
  partition by range (evaluated_at);
alter table policy_evaluation add primary key (agent_id, evaluated_at, evaluation_id, org_id);
create index policy_evaluation_not_passed
  on policy_evaluation (agent_id, verdict, evaluated_at, evaluation_id) where verdict <> 'pass';
alter table policy_evaluation attach partition policy_evaluation_default default;
create trigger policy_evaluation_is_final before update or delete on policy_evaluation
  for each row execute function refuse_change();
create trigger policy_evaluation_stays before truncate on policy_evaluation
  for each statement execute function refuse_change();
grant select, delete on policy_evaluation, policy_evaluation_default to touchstone_purge;
