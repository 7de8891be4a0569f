-- platform/orgs: organisations can require a second factor of members who sign in with a password

alter table org add column requires_second_factor boolean not null default false;
