-- http: headers of a kept answer that say more than its body does

alter table idempotency_record add column headers jsonb;
