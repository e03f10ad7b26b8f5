#!/usr/bin/env bash
# Fails if accelerators are missing: the node then does not join, and gets no job.
#   check-accelerators.sh gpu|neuron COUNT
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'check-accelerators: %s\n' "$*" >&2
  exit 1
}

count_gpus() {
  timeout 120 nvidia-smi --list-gpus | grep -c '^GPU '
}

count_neuron_devices() {
  find /dev -maxdepth 1 -name 'neuron[0-9]*' | wc -l
}

uncorrected_errors() {
  timeout 120 nvidia-smi --query-gpu=ecc.errors.uncorrected.volatile.total --format=csv,noheader |
    grep -cE '^[1-9]'
}

main() {
  local kind=$1 expected=$2 found
  case $kind in
    gpu) found=$(count_gpus) || true ;;
    neuron) found=$(count_neuron_devices) ;;
    *) fail "unknown kind $kind" ;;
  esac
  [[ ${found:-0} == "$expected" ]] || fail "$expected accelerators expected, ${found:-0} found"
  if [[ $kind == gpu ]]; then
    local broken
    broken=$(uncorrected_errors) || true
    [[ ${broken:-0} == 0 ]] || fail "$broken GPUs have uncorrected memory errors"
  fi
}

main "$@"
