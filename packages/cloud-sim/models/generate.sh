#!/usr/bin/env bash
# Writes src/*/*.model.json anew: what the cloud's own description says of the operations that are simulated. Needs python3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$here/.venv/bin/python
[ -x "$python" ] || python3 -m venv "$here/.venv"
"$python" -m pip install -qq --retries 1 botocore==1.43.107
"$here/../../../node_modules/.bin/node" "$here/operations.ts" | "$python" "$here/generate.py" "$here/../src"
