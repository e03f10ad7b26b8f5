#!/bin/bash
# Fails if accelerators or EFA devices are missing, before the node gets a job.
#   health.sh gpu|neuron COUNT EFA-DEVICES
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# changed FILE [MODE]: writes standard input to a file; succeeds if that changed it.
changed() {
  local file=$1 mode=${2:-0644} text
  text=$(cat)
  [[ ! -f $file || $(<"$file") != "$text" ]] || return 1
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$text" >"$file"
  chmod "$mode" "$file"
}

count_accelerators() {
  case $1 in
    gpu) timeout 120 nvidia-smi --list-gpus | grep -c '^GPU ' || true ;;
    neuron) find /dev -maxdepth 1 -name 'neuron[0-9]*' | wc -l ;;
    *) echo 0 ;;
  esac
}

count_efa() {
  local device count=0
  for device in /sys/class/infiniband/*; do
    if [[ $(basename "$(readlink -f "$device/device/driver")") == efa ]]; then
      count=$((count + 1))
    fi
  done
  echo "$count"
}

main() {
  local kind=$1 expected=$2 efa=$3 found
  # The prolog of jobs reads it.
  changed /etc/clustergen/accelerators <<<"$kind $expected" || true
  found=$(count_accelerators "$kind")
  ((found == expected)) || fail "$expected accelerators expected, $found found"
  found=$(count_efa)
  ((found == efa)) || fail "$efa EFA devices expected, $found found"
  if systemctl is-enabled --quiet nvidia-fabricmanager.service 2>/dev/null; then
    systemctl is-active --quiet nvidia-fabricmanager.service || fail "nvidia-fabricmanager is down"
  fi
}

main "$@"
