#!/bin/bash
# Prepares an instance before it joins the Kubernetes cluster.
# HyperPod runs it once for each new root volume; running it again changes nothing. A failing
# required step fails the node, a failing optional one is only recorded.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# The caller does not set these.
export HOME=/root LC_ALL=C.UTF-8

readonly LOG=/var/log/clustergen/lifecycle.log
# A reboot deletes HyperPod's download folder.
readonly KEPT=/opt/clustergen/lifecycle
# A file for each step that failed, and did not succeed since: verify.sh and an alert read it.
readonly UNFINISHED=/var/lib/clustergen/unfinished
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

say() {
  printf 'lifecycle: %s\n' "$*"
}

# The instance may be terminated soon; let the log reach CloudWatch first.
stop() {
  say "$*"
  sleep 60
  exit 1
}

# step SECONDS NAME SCRIPT [ARGUMENT...]
step() {
  local seconds=$1 name=$2 script=$3
  shift 3
  say "step $name begins"
  timeout --kill-after=30 "$seconds" bash "$here/$script" "$@" 9>&- </dev/null
}

required() {
  local status=0
  step "$@" || status=$?
  ((status == 0)) || stop "step $2 failed with status $status"
  say "step $2 is done"
}

finished() {
  rm -f "$UNFINISHED/$1"
  say "step $1 is done"
}

unfinished() {
  mkdir -p "$UNFINISHED"
  touch "$UNFINISHED/$1"
}

optional() {
  local status=0
  step "$@" || status=$?
  if ((status == 0)); then
    finished "$2"
  else
    unfinished "$2"
    say "step $2 failed with status $status; the node continues without it"
  fi
}

steps_of() {
  case $1 in
    sliced)
      required 300 system system.sh containerd
      required 900 'runtime storage' runtime-storage.sh
      optional 300 health health.sh gpu 8 32
      ;;
    system)
      required 300 system system.sh containerd
      required 900 'runtime storage' runtime-storage.sh
      ;;
  esac
}

main() {
  local group
  exec 9>/run/clustergen-lifecycle.lock
  flock --wait 900 9 || stop "another run of the lifecycle scripts does not end"
  group=$(bash "$here/resource-config.sh" group) || stop "step instance group failed"
  # Nodes of another bundle keep the scripts of that.
  grep -qxF -- "$group" < <(printf '%s\n' sliced system) ||
    stop "the instance group $group is not in these scripts"
  if [[ $here != "$KEPT" ]]; then
    mkdir -p "$KEPT"
    cp -R "$here/." "$KEPT/"
  fi
  # Downloaded files are not executable, also those of a later download to this folder, and Slurm
  # runs some of them directly.
  chmod 0755 "$KEPT"/*.sh
  say "this is a node of the instance group $group"
  steps_of "$group"
  if [[ -n $(find "$UNFINISHED" -type f 2>/dev/null) ]]; then
    say "the node runs, and some of its steps failed"
    return
  fi
  say "all steps are done"
}

mkdir -p "$(dirname "$LOG")"
touch "$LOG"
size=$(stat --format=%s "$LOG")
# Processes that a script leaves in the background inherit the log rather than the output of this
# script, whose reader would wait for them.
main >>"$LOG" 2>&1 &
tail --follow --sleep-interval=0.2 --pid=$! --bytes=+$((size + 1)) "$LOG" || true
wait $!
