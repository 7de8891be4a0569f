#!/bin/sh
# Run by the PostgreSQL image when its volume is empty. The service uses a role that is no superuser.
set -eu
password=$(cat /run/secrets/database_password)
psql --set ON_ERROR_STOP=1 --set password="$password" --username postgres --dbname postgres <<'SQL'
CREATE ROLE touchstone_purge NOLOGIN;
CREATE ROLE touchstone LOGIN CREATEROLE PASSWORD :'password';
GRANT touchstone_purge TO touchstone;
CREATE DATABASE touchstone OWNER touchstone;
SQL
