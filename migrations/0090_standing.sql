-- platform/identity: event streams judge their credentials from caches of who a person is and what
-- they belong to. Triggers announce each change, whoever makes it, when its transaction commits.

create function announce_standing() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform pg_notify('touchstone', 'standing ' || new.user_id);
  else
    perform pg_notify('touchstone', 'standing ' || old.user_id);
  end if;
  return null;
end $$;

create function announce_standing_of_all() returns trigger language plpgsql as $$
begin
  perform pg_notify('touchstone', 'standing *');
  return null;
end $$;

create trigger app_user_standing after update of email, email_verified, erased_at on app_user
  for each row execute function announce_standing();
create trigger org_member_standing after insert or update or delete on org_member
  for each row execute function announce_standing();
create trigger second_factor_standing after insert or delete or update of confirmed_at on second_factor
  for each row execute function announce_standing();
create trigger org_standing after update of deleted_at, requires_second_factor, billing_account_id on org
  for each row
  when (old.deleted_at is distinct from new.deleted_at
    or old.requires_second_factor is distinct from new.requires_second_factor
    or old.billing_account_id is distinct from new.billing_account_id)
  execute function announce_standing_of_all();
create trigger org_deleted_standing after delete on org
  for each row execute function announce_standing_of_all();
