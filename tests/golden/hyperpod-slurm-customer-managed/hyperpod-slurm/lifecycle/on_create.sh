#!/bin/bash
# Makes an instance a node of the cluster, Slurm included.
# HyperPod runs it once for each new root volume; running it again changes nothing. A failing
# required step fails the node, a failing optional one is only logged.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# The caller does not set these.
export HOME=/root LC_ALL=C.UTF-8

readonly LOG=/var/log/clustergen/lifecycle.log
# A reboot deletes HyperPod's download folder.
readonly KEPT=/opt/clustergen/lifecycle
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

optional() {
  local status=0
  step "$@" || status=$?
  if ((status == 0)); then
    say "step $2 is done"
  else
    say "step $2 failed with status $status; the node continues without it"
  fi
}

steps_of() {
  case $1 in
    controller)
      required 300 system system.sh
      required 3600 'script install-pyxis.sh' user-script.sh s3://sagemaker-hp-reviewed/install-pyxis.sh -
      required 1800 mounts mounts.sh
      required 300 users users.sh /fsx/home make
      required 300 environment environment.sh efa
      optional 300 containers containers.sh pyxis -
      required 1200 'slurm settings' slurm-settings.sh
      required 1800 slurm start-slurm.sh controller
      ;;
    login)
      required 300 system system.sh slurmd
      required 3600 'script install-pyxis.sh' user-script.sh s3://sagemaker-hp-reviewed/install-pyxis.sh -
      required 1800 mounts mounts.sh
      required 300 users users.sh /fsx/home leave
      required 300 environment environment.sh efa
      optional 300 containers containers.sh pyxis -
      required 1800 slurm start-slurm.sh login
      ;;
    h100)
      required 300 system system.sh slurmd
      required 3600 'script install-pyxis.sh' user-script.sh s3://sagemaker-hp-reviewed/install-pyxis.sh -
      required 600 scratch scratch.sh /scratch
      required 1800 mounts mounts.sh
      required 300 users users.sh /fsx/home leave
      required 300 environment environment.sh efa
      optional 300 health health.sh gpu 8 32
      optional 300 containers containers.sh pyxis -
      required 1800 slurm start-slurm.sh compute
      ;;
  esac
}

main() {
  local group
  exec 9>/run/clustergen-lifecycle.lock
  flock --wait 900 9 || stop "another run of the lifecycle scripts does not end"
  group=$(bash "$here/resource-config.sh" group) || stop "step instance group failed"
  # Nodes of another bundle keep the scripts of that.
  grep -qxF -- "$group" < <(printf '%s\n' controller login h100) ||
    stop "the instance group $group is not in these scripts"
  if [[ $here != "$KEPT" ]]; then
    mkdir -p "$KEPT"
    cp -R "$here/." "$KEPT/"
    # Downloaded files are not executable, and Slurm runs some of them directly.
    chmod 0755 "$KEPT"/*.sh
  fi
  say "this is a node of the instance group $group"
  steps_of "$group"
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
