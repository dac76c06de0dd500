#!/usr/bin/env bash
# Sends what botocore's models forbid to the simulated cloud. Last line: `N passed, N failed`, or `skipped: botocore`
# where there is no Python or pip finds no boto3.
set -u
here=$(cd "$(dirname "$0")" && pwd)
python=$here/.venv/bin/python

skip() {
  echo "$1" >&2
  echo 'skipped: botocore'
  exit 0
}

command -v python3 >/dev/null || skip 'python3 is not installed'
[ -x "$python" ] || python3 -m venv "$here/.venv" || skip 'python3 cannot make a virtual environment'
"$python" -c 'import boto3' 2>/dev/null || "$python" -m pip install -qq --retries 1 boto3 || skip 'pip finds no boto3'
exec "$here/../../../../node_modules/.bin/node" "$here/../boto3/run.ts" "$python" "$here/check.py"
