#!/bin/sh
# Writes random secrets for compose.yaml into the folder secrets, once. The folder is closed to others; the
# files are readable, because each container reads its own as a user that this machine does not know.
set -eu
cd "$(dirname "$0")/.."
if [ -e secrets ]; then
  echo 'The folder secrets exists already and was not changed.' >&2
  exit 1
fi
random() {
  head -c "$1" /dev/urandom | od -An -vtx1 | tr -d ' \n'
}
database_password=$(random 24)
redis_password=$(random 24)
mkdir -m 700 secrets
umask 022
random 24 >secrets/postgres_password
printf '%s' "$database_password" >secrets/database_password
printf 'postgresql://touchstone:%s@postgres:5432/touchstone' "$database_password" >secrets/database_url
printf 'requirepass %s\n' "$redis_password" >secrets/redis.conf
printf 'redis://:%s@redis:6379' "$redis_password" >secrets/redis_url
head -c 32 /dev/urandom | base64 >secrets/secret_key
