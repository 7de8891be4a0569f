-- platform/audit: the key of entries by month
-- concurrently
create unique index concurrently audit_entry_key on audit_entry (id, created_at);
