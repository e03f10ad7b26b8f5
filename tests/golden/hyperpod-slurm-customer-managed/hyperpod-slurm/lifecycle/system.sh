#!/bin/bash
# Settings for every node.
#   system.sh [SERVICE]     SERVICE runs jobs: slurmd or containerd
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

# An unattended upgrade of a library may restart a daemon and kill the jobs of the node.
keep_daemons_running() {
  local folder=/etc/needrestart/conf.d
  if [[ -d $folder ]]; then
    changed "$folder/90-clustergen.conf" <<'END' || true
$nrconf{override_rc}{qr(^(slurm|containerd|kubelet))} = 0;
END
  fi
}

# At the first boot, unattended upgrades may hold the lock of apt.
wait_for_apt() {
  if [[ -d /etc/apt/apt.conf.d ]]; then
    changed /etc/apt/apt.conf.d/90-clustergen <<<'DPkg::Lock::Timeout "300";' || true
  fi
}

# The kernel's neighbour table holds 1,024 entries by default: too few for a large subnet.
enlarge_neighbour_table() {
  if changed /etc/sysctl.d/90-clustergen.conf <<'END'
net.ipv4.neigh.default.gc_thresh1 = 0
net.ipv4.neigh.default.gc_thresh2 = 15360
net.ipv4.neigh.default.gc_thresh3 = 16384
END
  then
    sysctl --quiet --load=/etc/sysctl.d/90-clustergen.conf
  fi
}

# EFA pins memory, up to all memory of a job.
raise_limits() {
  local service=${1:-}
  changed /etc/security/limits.d/90-clustergen.conf <<'END' || true
* soft memlock unlimited
* hard memlock unlimited
* soft nofile 1048576
* hard nofile 1048576
END
  [[ -n $service ]] || return 0
  if changed "/etc/systemd/system/$service.service.d/90-clustergen.conf" <<'END'
[Service]
LimitMEMLOCK=infinity
LimitNOFILE=1048576
END
  then
    systemctl daemon-reload
    # A restart does not affect jobs and containers. The unit may be absent, masked or stopped.
    if systemctl is-active --quiet "$service.service"; then
      systemctl restart "$service.service" ||
        printf 'system: %s gets the new limits at its next start\n' "$service"
    fi
  fi
}

keep_daemons_running
wait_for_apt
enlarge_neighbour_table
raise_limits "$@"
