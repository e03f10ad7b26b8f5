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
  local found
  found=$(count_accelerators "$1")
  check "$2 accelerators, found $found" same "$found" "$2"
}

efa() {
  local found
  found=$(count_efa)
  check "$1 EFA devices, found $found" same "$found" "$1"
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

answers() {
  check "Slurm answers" bash -lc "grep -q ' is UP' < <(timeout 60 /opt/slurm/bin/scontrol ping)"
}

bound() {
  check "$1 is a mount, off the root volume" mountpoint -q "$1"
}

person() {
  check "$1 has the id $2" same "$(id -u "$1" 2>/dev/null)" "$2"
}

pyxis() {
  local options
  options=$(timeout 60 /opt/slurm/bin/srun --help 2>&1) || options=
  check "srun has --container-image" grep -q -- --container-image <<<"$options"
}

checks_of() {
  case $1 in
    controller)
      active slurmctld
      mounted /fsx
      person alice 2001
      ;;
    login)
      answers
      mounted /fsx
      person alice 2001
      ;;
    h100)
      active slurmd
      accelerators gpu 8
      efa 32
      mounted /fsx
      person alice 2001
      bound /scratch
      pyxis
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
