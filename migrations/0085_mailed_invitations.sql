-- platform/invitations: the e-mail has a token of its own, which the inviter never sees

-- Null for invitations from before, whose only token the inviter has seen.
alter table invitation add column mailed_token_hash text unique;
