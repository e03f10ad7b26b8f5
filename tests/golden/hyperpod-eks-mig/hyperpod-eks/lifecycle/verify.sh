#!/bin/bash
# Checks a running node against the spec; exits with 1 if a check fails.
#   verify.sh [INSTANCE-GROUP]
# The lifecycle scripts copy it to /opt/clustergen/lifecycle.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
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

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
wrong=0

# check WHAT COMMAND...
check() {
  local what=$1
  shift
  if "$@" >/dev/null 2>&1; then
    printf 'ok      %s\n' "$what"
  else
    printf 'WRONG   %s\n' "$what"
    wrong=$((wrong + 1))
  fi
}

same() {
  [[ $1 == "$2" ]]
}

accelerators() {
  local found expected
  found=$(count_accelerators "$1")
  expected=$(expected "$2") || expected=unknown
  check "$expected accelerators, found $found" same "$found" "$expected"
}

efa() {
  local found expected
  found=$(count_efa)
  expected=$(expected "$1") || expected=unknown
  check "$expected EFA devices, found $found" same "$found" "$expected"
}

active() {
  check "$1 runs" systemctl is-active --quiet "$1.service"
}

bound() {
  check "$1 is a mount, off the root volume" mountpoint -q "$1"
}

finished() {
  local left
  left=$(find "$1" -type f -printf ', %f' 2>/dev/null) || true
  check "every step of the set-up is done${left:+, but not$left}" test -z "$left"
}

checks_of() {
  case $1 in
    sliced)
      active containerd
      active kubelet
      accelerators gpu 8
      efa 32
      bound /var/lib/containerd
      bound /var/lib/kubelet
      finished /var/lib/clustergen/unfinished
      ;;
    system)
      active containerd
      active kubelet
      efa 0
      bound /var/lib/containerd
      bound /var/lib/kubelet
      finished /var/lib/clustergen/unfinished
      ;;
    *) fail "the group $1 is not in this script" ;;
  esac
}

# The group of this node.
own_group() {
  local folder=$here
  [[ -f $folder/resource-config.sh ]] || folder=/opt/clustergen/lifecycle
  [[ -f $folder/resource-config.sh ]] || fail "name the instance group of this node"
  bash "$folder/resource-config.sh" group
}

main() {
  local group=${1:-}
  [[ -n $group ]] || group=$(own_group)
  checks_of "$group"
  ((wrong == 0)) || fail "$wrong of the checks failed"
}

main "$@"
