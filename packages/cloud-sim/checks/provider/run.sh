#!/usr/bin/env bash
# Makes, changes and removes every kind of resource that is supported, with Terraform and the cloud's own provider. Last
# line: `N passed, N failed`, or `skipped: …` where there is no Terraform, or no folder with the provider
# (SLUICE_TEST_PLUGIN_MIRROR).
set -u
here=$(cd "$(dirname "$0")" && pwd)

command -v terraform >/dev/null || { echo 'skipped: terraform'; exit 0; }
[ -d "${SLUICE_TEST_PLUGIN_MIRROR:-}" ] || { echo 'skipped: provider mirror'; exit 0; }
exec "$here/../../../../node_modules/.bin/node" "$here/run.ts" "$here" "$SLUICE_TEST_PLUGIN_MIRROR"
