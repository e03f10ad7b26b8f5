#!/bin/bash
# Runs all smoke tests one after the other, from a login node or the controller.
#   run.sh [SBATCH-OPTION...]     run.sh --nodes=2 uses two nodes each
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
failed=0
for job in *.sbatch; do
  status=0
  answer=$(sbatch --wait --parsable "$@" "$job") || status=$?
  case $status in
    0) printf 'PASS  %s\n' "$job" ;;
    77) printf 'SKIP  %s: job %s, its output is in %s\n' "$job" "${answer%%;*}" "$PWD" ;;
    *)
      printf 'FAIL  %s: job %s, its output is in %s\n' "$job" "${answer%%;*}" "$PWD"
      failed=$((failed + 1))
      ;;
  esac
done
exit "$((failed > 0))"
