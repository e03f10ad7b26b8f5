#!/usr/bin/env bash
# Deploys, updates, pauses and deletes what bundle.json says, with clustergen: see --help.
set -euo pipefail

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v clustergen >/dev/null; then
  printf '%s\n' "deploy.sh: clustergen is not on PATH: install it with its extra \`live\`, and run" \
    "this again." >&2
  exit 2
fi
exec clustergen deploy "$folder" "$@"
