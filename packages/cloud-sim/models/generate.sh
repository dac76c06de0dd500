#!/usr/bin/env bash
# Writes src/*/*.model.json: what botocore's models say about the simulated operations. Needs python3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/../checks/python-environment")
"$here/../../../node_modules/.bin/node" "$here/operations.ts" | "$python" "$here/generate.py" "$here/../src"
