#!/bin/bash
# Prepares the container runtime for jobs, with images and containers on local disks if the node has
# any. Running it again changes nothing.
#   containers.sh docker|pyxis FOLDER [ROLE]
#   containers.sh folders docker|pyxis FOLDER     at every boot, before jobs
#   FOLDER   preferred folder; - for the disks that the image mounts, else its second volume
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'containers: %s\n' "$*" >&2
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

# at_boot NAME AFTER BEFORE ARGUMENT...
# Runs this script at every boot, as clustergen-NAME.service: services run scripts only at the first
# boot, from folders that a reboot empties.
at_boot() {
  local name=$1 after=$2 before=$3 unit=clustergen-$1.service kept=/opt/clustergen/boot/$1.sh
  local word targets=()
  shift 3
  # Pull in targets, but not services, which may be absent.
  for word in $after $before; do
    if [[ $word == *.target ]]; then targets+=("$word"); fi
  done
  if [[ ! ${BASH_SOURCE[0]} -ef $kept ]]; then
    mkdir -p "${kept%/*}"
    cp "${BASH_SOURCE[0]}" "$kept.new"
    chmod 0755 "$kept.new"
    mv "$kept.new" "$kept"
  fi
  if changed "/etc/systemd/system/$unit" <<END
[Unit]
Description=clustergen: $name
Wants=${targets[*]}
After=$after
Before=$before

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=900
ExecStart=/bin/bash $kept$(printf ' "%s"' "$@")

[Install]
WantedBy=multi-user.target
END
  then
    systemctl daemon-reload
    systemctl enable "$unit"
  fi
}

readonly IMAGE_DISKS=/opt/dlami/nvme IMAGE_SERVICE=dlami-nvme.service

# Whether the image combines and mounts the local disks itself, as Deep Learning AMIs do some time
# after boot. Waits for that if necessary.
mounted_by_image() {
  local second
  if mountpoint -q "$IMAGE_DISKS"; then return; fi
  case $(systemctl show --property LoadState --value "$IMAGE_SERVICE" 2>/dev/null) in
    loaded) ;;
    *) return 1 ;; # absent or masked
  esac
  if ! systemctl is-enabled --quiet "$IMAGE_SERVICE" && ! systemctl is-active --quiet "$IMAGE_SERVICE"; then
    return 1
  fi
  for ((second = 0; second < 300; second += 5)); do
    if mountpoint -q "$IMAGE_DISKS"; then return; fi
    if systemctl is-failed --quiet "$IMAGE_SERVICE"; then return 1; fi
    sleep 5
  done
  return 1
}

readonly VOLUME=/opt/sagemaker SETTINGS=/etc/docker/daemon.json

storage() {
  local folder
  if [[ $1 != - ]] && mountpoint -q "$1"; then
    printf '%s\n' "$1"
    return
  fi
  mounted_by_image || true
  for folder in "$IMAGE_DISKS" "$VOLUME"; do
    if mountpoint -q "$folder"; then
      printf '%s\n' "$folder"
      return
    fi
  done
  printf 'containers: no local disk; images and containers are on the root volume\n' >&2
  printf '/var/lib\n'
}

# Users cannot share an Enroot folder, and Enroot creates only that of its caller.
folders() {
  local runtime=$1 base=$2
  if [[ $runtime == docker ]]; then
    mkdir -p "$base/docker"
  else
    mkdir -p "$base/enroot"/{cache,data,tmp}
    chmod 1777 "$base/enroot" "$base/enroot"/{cache,data,tmp}
  fi
}

install_docker() {
  if command -v apt-get >/dev/null; then
    # At the first boot, unattended upgrades may hold the lock.
    apt-get -o DPkg::Lock::Timeout=300 update
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install --yes docker.io
  else
    dnf install --assumeyes docker
  fi
}

# Sets Docker's data-root, and keeps its other settings.
docker_settings() {
  python3 - "$SETTINGS" "$1" <<'END'
import json
import os
import sys

path, root = sys.argv[1:]
settings = {}
if os.path.exists(path) and os.path.getsize(path):
    with open(path, encoding="utf-8") as stream:
        settings = json.load(stream)
settings["data-root"] = root
print(json.dumps(settings, indent=2))
END
}

# Only the image's default user and users of the spec have access to Docker.
join_docker_group() {
  local name names=(alice)
  names+=("$(getent passwd 1000 | cut -d : -f 1)")
  for name in "${names[@]}"; do
    if id "$name" >/dev/null 2>&1; then usermod --append --groups docker "$name"; fi
  done
}

docker_ready() {
  local base=$1 settings restart=no
  # Before Docker first starts, so that it never fills the root volume.
  settings=$(docker_settings "$base/docker") || fail "$SETTINGS is not JSON"
  if changed "$SETTINGS" <<<"$settings"; then restart=yes; fi
  # Slurm passes group ids from node to node, so the id must be the same on all.
  getent group docker >/dev/null || groupadd --gid 480 docker || groupadd --system docker
  if ! command -v docker >/dev/null; then
    install_docker || fail "the image has no Docker, and no package repository responds"
  fi
  if command -v nvidia-ctk >/dev/null && ! grep -q nvidia "$SETTINGS"; then
    nvidia-ctk runtime configure --runtime=docker
    restart=yes
  fi
  join_docker_group
  if [[ $restart == yes ]]; then systemctl try-restart docker.service; fi
  systemctl enable --now docker.service || fail "Docker does not start"
}

# Enroot's settings. The image's file may have the same settings, and Enroot's version determines
# which file wins, so both files get only ours.
enroot_settings() {
  local base=$1/enroot file=/etc/enroot/enroot.conf kept ours
  ours=$(
    cat <<END
ENROOT_RUNTIME_PATH /run/enroot/user-\$(id -u)
ENROOT_CACHE_PATH $base/cache/user-\$(id -u)
ENROOT_DATA_PATH $base/data/user-\$(id -u)
ENROOT_TEMP_PATH $base/tmp
ENROOT_ROOTFS_WRITABLE y
END
  )
  kept=$(grep -vE '^[[:space:]]*ENROOT_(RUNTIME|CACHE|DATA|TEMP)_PATH|^[[:space:]]*ENROOT_ROOTFS_WRITABLE' "$file" 2>/dev/null || true)
  changed "$file" <<<"${kept:+$kept
}$ours" || true
  changed /etc/enroot/enroot.conf.d/90-clustergen.conf <<<"$ours" || true
}

# Enroot needs user namespaces, which Ubuntu 24.04 restricts for unprivileged programs.
# https://ubuntu.com/blog/ubuntu-23-10-restricted-unprivileged-user-namespaces
allow_user_namespaces() {
  [[ -e /proc/sys/kernel/apparmor_restrict_unprivileged_userns ]] || return 0
  if changed /etc/sysctl.d/90-clustergen-enroot.conf <<<'kernel.apparmor_restrict_unprivileged_userns = 0'; then
    sysctl --quiet --load=/etc/sysctl.d/90-clustergen-enroot.conf
  fi
}

# Runtime folders are on tmpfs, so create them at every boot.
runtime_folders() {
  changed /etc/tmpfiles.d/clustergen-enroot.conf <<'END' || true
d /run/enroot 1777 root root -
d /run/pyxis 1777 root root -
END
  systemd-tmpfiles --create /etc/tmpfiles.d/clustergen-enroot.conf
}

# Nodes without slurmctld get plugstack.conf from the controllers when slurmd starts; they need only
# the plugin.
plugin_ready() {
  grep -rqs pyxis /opt/slurm/etc/plugstack.conf /opt/slurm/etc/plugstack.conf.d /etc/slurm/plugstack.conf.d \
    /run/slurm/conf/plugstack.conf /var/spool/slurmd/conf-cache/plugstack.conf ||
    [[ -n $(find /opt/slurm/lib /usr/local/lib/slurm /usr/lib/slurm /usr/lib/*/slurm* -name 'spank_pyxis.so' 2>/dev/null) ]] ||
    fail "the image has no Pyxis: srun has no --container-image"
}

pyxis_ready() {
  command -v enroot >/dev/null || fail "the image has no Enroot"
  enroot_settings "$1"
  allow_user_namespaces
  runtime_folders
  plugin_ready "$2"
}

main() {
  local runtime=$1 base
  case $runtime in
    docker | pyxis) ;;
    *) fail "unknown runtime $runtime" ;;
  esac
  base=$(storage "${2:--}")
  folders "$runtime" "$base"
  # A reboot may empty the disks, and Docker would create missing folders on the root volume.
  at_boot containers "dlami-nvme.service setup-ephemeral.service clustergen-scratch.service" \
    "docker.service slurmd.service" folders "$runtime" "$base"
  if [[ $runtime == docker ]]; then docker_ready "$base"; else pyxis_ready "$base" "${3:-}"; fi
}

if [[ $1 == folders ]]; then
  [[ $3 == /var/lib ]] || [[ $(storage "$3") == "$3" ]] || fail "$3 is not mounted"
  folders "$2" "$3"
else
  main "$@"
fi
