-- kernel: the key of events by month
-- concurrently
create unique index concurrently event_key on event (org_id, id, created_at);
