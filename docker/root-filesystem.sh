#!/bin/sh
# Collects into a folder what an image needs to run an installed service: Node, the shared libraries of
# Node and of native packages, a user without rights, and an empty data folder of that user.
#
#   sh root-filesystem.sh APP ROOT
set -eu
app=$1
root=$2
user=65532

mkdir -p "$root/usr/local/bin" "$root/etc" "$root/tmp" "$root/data"
chmod 1777 "$root/tmp"
chown "$user:$user" "$root/data"
cp "$(command -v node)" "$root/usr/local/bin/node"
echo "touchstone:x:$user:$user:Touchstone:/data:/sbin/nologin" >"$root/etc/passwd"
echo "touchstone:x:$user:" >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"

# Native packages contain builds for other systems, whose libraries ldd does not find here.
find "$root/usr/local/bin/node" "$app" -type f \( -name node -o -name '*.node' \) |
  while read -r program; do ldd "$program" 2>/dev/null || true; done |
  sed -n -e 's/.*=> \(\/[^ ]*\) .*/\1/p' -e 's/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | sort -u |
  while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
