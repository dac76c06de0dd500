#!/usr/bin/env bash
# Drives the simulated cloud with boto3, a client that others wrote. Last line: `N passed, N failed`, or `skipped: boto3`
# where there is no Python, or pip cannot install the pinned boto3.
set -u
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/../python-environment") || { echo 'skipped: boto3'; exit 0; }
exec "$here/../../../../node_modules/.bin/node" "$here/../run-python.ts" "$python" "$here/check.py"
