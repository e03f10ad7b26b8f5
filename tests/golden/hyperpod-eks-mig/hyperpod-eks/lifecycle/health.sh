#!/bin/bash
# Fails if accelerators or EFA devices are missing, before the node gets a job.
#   health.sh gpu|neuron COUNT EFA-DEVICES
# Of a group with several instance types, both are as `expected` reads them.
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

instance_type() {
  local at=http://169.254.169.254/latest token type
  token=$(curl -sf -m 5 -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' "$at/api/token") &&
    type=$(curl -sf -m 5 -H "X-aws-ec2-metadata-token: $token" "$at/meta-data/instance-type") &&
    printf '%s\n' "${type#ml.}"
}

# expected NUMBER | TYPE=NUMBER,...: prints the number, that of this node's instance type. Fails if it
# is unknown.
expected() {
  local type
  if [[ $1 != *=* ]]; then
    echo "$1"
    return
  fi
  type=$(instance_type) && tr ',' '\n' <<<"$1" | awk -F = -v type="$type" '$1 == type { print $2 }' | grep .
}

# It starts with the GPUs, on large nodes for a minute.
fabric_is_up() {
  local attempt
  systemctl is-enabled --quiet nvidia-fabricmanager.service 2>/dev/null || return 0
  for ((attempt = 1; attempt <= 24; attempt++)); do
    if systemctl is-active --quiet nvidia-fabricmanager.service; then return 0; fi
    sleep 5
  done
  return 1
}

main() {
  local kind=$1 expected efa found
  if expected=$(expected "$2") && efa=$(expected "$3"); then
    # The prolog of jobs reads it.
    changed /etc/clustergen/accelerators <<<"$kind $expected" || true
    found=$(count_accelerators "$kind")
    ((found == expected)) || fail "$expected accelerators expected, $found found"
    found=$(count_efa)
    ((found == efa)) || fail "$efa EFA devices expected, $found found"
  else
    echo "The instance type of this node is unknown, so that its devices are not compared."
  fi
  fabric_is_up || fail "nvidia-fabricmanager is down"
}

main "$@"
