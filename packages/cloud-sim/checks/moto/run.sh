#!/usr/bin/env bash
# Compares the simulated cloud with moto, which others wrote. Last line: `N passed, N failed`, or `skipped: moto` where
# Python has no moto with its server, of the version whose answers disagreements.json explains.
set -u
here=$(cd "$(dirname "$0")" && pwd)
version=5.2.1

if ! python3 -c "import moto, moto.server, sys; sys.exit(moto.__version__ != '$version')" 2>/dev/null; then
  echo "python3 has no moto $version with its server" >&2
  echo 'skipped: moto'
  exit 0
fi
exec "$here/../../../../node_modules/.bin/node" "$here/../run-python.ts" python3 "$here/check.py"
