#!/usr/bin/env bash
# Drives the simulated cloud with boto3, a client that others wrote. Last line: `N passed, N failed`, or `skipped: boto3`
# where there is no Python or pip finds no boto3 that knows pauses.
set -u
here=$(cd "$(dirname "$0")" && pwd)
python=$here/.venv/bin/python

skip() {
  echo "$1" >&2
  echo 'skipped: boto3'
  exit 0
}

command -v python3 >/dev/null || skip 'python3 is not installed'
[ -x "$python" ] || python3 -m venv "$here/.venv" || skip 'python3 cannot make a virtual environment'
"$python" -c 'import boto3' 2>/dev/null || "$python" -m pip install -qq --retries 1 boto3 || skip 'pip finds no boto3'
"$python" "$here/check.py" --can-pause || skip 'this boto3 does not know ContinueServiceDeployment'
exec "$here/../../../../node_modules/.bin/node" "$here/run.ts" "$python" "$here/check.py"
