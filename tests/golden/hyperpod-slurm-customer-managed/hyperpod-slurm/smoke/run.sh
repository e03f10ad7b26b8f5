#!/bin/bash
# Runs all smoke tests one after the other, from a login node or the controller.
#   run.sh [SBATCH-OPTION...]     run.sh --nodes=2 takes two nodes each
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
failed=0
for job in *.sbatch; do
  if answer=$(sbatch --wait --parsable "$@" "$job"); then
    printf 'PASS  %s\n' "$job"
  else
    printf 'FAIL  %s: job %s, its output is in %s\n' "$job" "${answer%%;*}" "$PWD"
    failed=$((failed + 1))
  fi
done
exit "$((failed > 0))"
