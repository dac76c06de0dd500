#!/bin/sh
# Puts a tool into /tools: fetch-tool.sh <name> <SHA-256 of the archive> <address of the archive>. Without an address, nothing.
set -eu
name=$1 sha256=$2 address=$3
[ -n "$address" ] || exit 0
[ -n "$sha256" ] || { echo "the SHA-256 of the archive of $name is missing" >&2; exit 1; }
command -v unzip >/dev/null || { apt-get update && apt-get install -y --no-install-recommends ca-certificates curl unzip; }
curl -fsSL -o /tmp/archive.zip "$address"
echo "$sha256  /tmp/archive.zip" | sha256sum -c -
unzip -q /tmp/archive.zip "$name" -d /tools
rm /tmp/archive.zip
