#!/usr/bin/env bash
# Checks one node of each node group against the spec: submits the jobs that end in -verify, one
# after the other, and waits for each.
#   verify.sh [OPTION-OF-SUBMIT.SH...]
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
failed=0
jobs=(urgent-l40s-verify normal-l40s-verify)
for job in "${jobs[@]}"; do
  if ./submit.sh --wait "$@" "$job"; then
    printf 'PASS  %s\n' "$job"
  else
    printf 'FAIL  %s\n' "$job"
    failed=$((failed + 1))
  fi
done
exit "$((failed > 0))"
