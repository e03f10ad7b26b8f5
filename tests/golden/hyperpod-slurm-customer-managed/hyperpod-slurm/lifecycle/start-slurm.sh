#!/bin/bash
# Starts Slurm, if HyperPod does not.
#   start-slurm.sh controller|login|compute
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

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

start_controller() {
  local second
  systemctl disable --now slurmd.service 2>/dev/null || true
  systemctl enable --now slurmctld.service
  for ((second = 0; second < 120; second += 5)); do
    if timeout 30 /opt/slurm/bin/scontrol ping; then return; fi
    sleep 5
  done
  fail "slurmctld does not respond; see its log"
}

# Nodes get their configuration from controllers, which may start later: slurmd exits if none does.
start_node() {
  local controllers second refused=0
  controllers=$(bash "$here/resource-config.sh" controllers 1 | paste -sd , -)
  [[ -n $controllers ]] || fail "the controller has no address"
  if changed /etc/systemd/system/slurmd.service.d/80-clustergen.conf <<END
[Service]
Environment="SLURMD_OPTIONS=--conf-server $controllers"
END
  then
    systemctl daemon-reload
  fi
  systemctl enable slurmd.service || true
  for ((second = 0; second < 1500; second += 15)); do
    if systemctl start slurmd.service; then return; fi
    if [[ $1 == login ]] && answers "$controllers"; then
      refused=$((refused + 1))
      if ((refused == 3)); then
        ask_controllers "$controllers"
        return
      fi
    fi
    sleep 15
  done
  fail "slurmd does not start; see its log"
}

answers() {
  grep -q ' is UP' < <(SLURM_CONF_SERVER=$1 timeout 30 /opt/slurm/bin/scontrol ping 2>/dev/null)
}

# A login node needs slurmd only for the configuration. If slurmd is masked, or slurm.conf does not
# list the node, commands query the controllers directly.
ask_controllers() {
  printf 'start-slurm: slurmd does not run here; commands query %s\n' "$1"
  changed /etc/profile.d/91-clustergen-slurm.sh <<<"export SLURM_CONF_SERVER=$1" || true
}

case $1 in
  controller) start_controller ;;
  *) start_node "$1" ;;
esac
