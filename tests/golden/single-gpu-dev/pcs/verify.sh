#!/bin/bash
# Checks a running node against the spec; exits with 1 if a check fails.
# Copy it to a file system that all nodes share, and run it there.
#   srun --partition=QUEUE --nodelist=NODE [--gpus-per-node=GPUS] --cpu-bind=none ./verify.sh [GROUP]
#   ./verify.sh --login
# GROUP is one of: --login, gpu; a step of a job knows its own.
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

takes_files() {
  local folder=$1 probe
  # Beside the home directories, only root may write.
  if [[ ${HOME:-} == "$folder"/* ]]; then folder=$HOME; fi
  probe="$folder/.clustergen-verify-$(hostname)-$$"
  timeout 60 touch "$probe" && timeout 60 rm -f "$probe"
}

mounted() {
  check "$1 is mounted" mountpoint -q "$1"
  check "$1 takes files" takes_files "$1"
}

active() {
  check "$1 runs" systemctl is-active --quiet "$1.service"
}

checks_of() {
  case $1 in
    --login)
      mounted /home
      ;;
    gpu)
      active slurmd
      accelerators gpu 1
      efa 0
      mounted /home
      ;;
    *) fail "the group $1 is not in this script" ;;
  esac
}

# Names of nodes are GROUP-N, with ParallelCluster QUEUE-st-GROUP-N and QUEUE-dy-GROUP-N.
own_group() {
  local name=${SLURMD_NODENAME:-}
  [[ -n $name ]] || fail "name the group of this node"
  name=${name%-*}
  name=${name#*-st-}
  printf '%s\n' "${name#*-dy-}"
}

main() {
  local group=${1:-}
  [[ -n $group ]] || group=$(own_group)
  checks_of "$group"
  ((wrong == 0)) || fail "$wrong of the checks failed"
}

main "$@"
