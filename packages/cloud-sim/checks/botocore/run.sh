#!/usr/bin/env bash
# Sends what botocore's models forbid to the simulated cloud. Last line: `N passed, N failed`, or `skipped: botocore`
# where there is no Python, or pip cannot install the pinned botocore.
set -u
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/../python-environment") || { echo 'skipped: botocore'; exit 0; }
exec "$here/../../../../node_modules/.bin/node" "$here/../run-python.ts" "$python" "$here/check.py"
