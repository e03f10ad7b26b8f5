#!/usr/bin/env bash
# Checks a node for each node group of a queue against the spec: submits the jobs that end in
# -verify, and then waits for each. It leaves out groups whose capacity has not begun or has ended.
#   verify.sh [OPTION-OF-SUBMIT.SH...]
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
failed=0
fails() {
  printf 'FAIL  %s\n' "$1"
  failed=$((failed + 1))
}

submitted=
while read -r job _; do
  if id=$(./submit.sh "$@" "$job" </dev/null); then
    submitted+="$job $id"$'\n'
  else
    fails "$job"
  fi
done < <(printf '%s %s\n' urgent-l40s-verify l40s normal-l40s-verify l40s)
while read -r job id; do
  # With --dry-run, nothing was submitted.
  [[ -n $id ]] || continue
  if ./submit.sh "$@" --wait-for "$id" </dev/null; then
    printf 'PASS  %s\n' "$job"
  else
    fails "$job"
  fi
done <<<"$submitted"
exit "$((failed > 0))"
