#!/usr/bin/env bash
# Settings for every node of the cluster. Safe to run again.
#   baseline.sh SLURM-FOLDER
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'baseline: %s\n' "$*" >&2
  exit 1
}

# The service may terminate the node after a failed script. Let the log agent send the log first.
linger() {
  local status=$?
  ((status == 0)) || sleep 20
}
trap linger EXIT

# An unattended upgrade of a library may restart slurmd and kill the jobs of the node.
keep_slurmd_running() {
  local folder=/etc/needrestart/conf.d
  if [[ -d $folder ]]; then
    printf '%s\n' "\$nrconf{override_rc}{qr(^slurmd)} = 0;" >"$folder/90-slurmd.conf"
  fi
}

# The kernel's neighbour table holds 1,024 entries by default: too few for a large subnet.
enlarge_neighbour_table() {
  cat >/etc/sysctl.d/90-neighbours.conf <<'EOF'
net.ipv4.neigh.default.gc_thresh1 = 0
net.ipv4.neigh.default.gc_thresh2 = 15360
net.ipv4.neigh.default.gc_thresh3 = 16384
EOF
  sysctl --quiet --load=/etc/sysctl.d/90-neighbours.conf
}

# Login shells of some images do not find Slurm's commands; those that do keep their PATH.
find_slurm_commands() {
  mkdir -p /etc/profile.d
  printf '%s\n' "command -v scontrol >/dev/null || export PATH=$1:\$PATH" \
    >/etc/profile.d/zz-clustergen-slurm.sh
}

keep_slurmd_running
enlarge_neighbour_table
find_slurm_commands "$1"
