-- platform/webhooks: what is due apart from the log, so that to take and to settle a delivery
-- writes no index of the log

create table webhook_due (
  -- That of its delivery.
  seq bigint primary key,
  delivery_id text not null,
  endpoint_id text not null,
  -- When it is next to be tried; it stays while a worker has it.
  due_at timestamptz not null,
  -- Until when a worker has it.
  leased_until timestamptz not null default '-infinity',
  -- Which taking it is in; whoever lost the lease must not write the outcome.
  claim uuid
) with (fillfactor = 50);
create index webhook_due_in_order on webhook_due (endpoint_id, due_at, seq);

-- An endpoint is served by one worker at a time: the others leave it alone until the lease is over.
create table webhook_lane (
  endpoint_id text primary key,
  worker text not null,
  leased_until timestamptz not null
) with (fillfactor = 50);

insert into webhook_due (seq, delivery_id, endpoint_id, due_at)
select seq, delivery_id, endpoint_id, least(due_at, updated_at)
from webhook_delivery where status = 'delivering';
insert into webhook_due (seq, delivery_id, endpoint_id, due_at)
select seq, delivery_id, endpoint_id, due_at
from webhook_delivery where status in ('pending', 'retrying');
update webhook_delivery
set status = case when attempt_count = 0 then 'pending' else 'retrying' end, claim = null
where status = 'delivering';

-- With the columns go their indexes and checks.
alter table webhook_delivery
  drop column due_at,
  drop column claim,
  drop constraint webhook_delivery_status_check,
  add constraint webhook_delivery_status_check
    check (status in ('pending', 'retrying', 'delivered', 'failed')),
  set (fillfactor = 60);
