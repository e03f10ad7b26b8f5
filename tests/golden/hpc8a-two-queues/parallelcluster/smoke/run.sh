#!/bin/bash
# Runs smoke tests one after the other, from a login node or the controller.
#   run.sh [SBATCH-OPTION...] [NODE-GROUP...]     run.sh --nodes=2 h200: those of h200, on two nodes each
# A test waits for nodes: those of dated capacity, before it starts.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
failed=0 options=() jobs=()
for word in "$@"; do
  mapfile -t found < <(compgen -G "*-$word.sbatch")
  if [[ -f $word ]]; then jobs+=("$word"); elif [[ -n ${found[*]-} ]]; then jobs+=("${found[@]}"); else options+=("$word"); fi
done
[[ -n ${jobs[*]-} ]] || jobs=(*.sbatch)
for job in "${jobs[@]}"; do
  status=0
  printf 'RUN   %s\n' "$job"
  answer=$(sbatch --wait --parsable ${options[@]+"${options[@]}"} "$job") || status=$?
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
