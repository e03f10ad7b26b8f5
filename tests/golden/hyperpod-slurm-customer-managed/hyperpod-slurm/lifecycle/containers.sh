#!/bin/bash
# Prepares the container runtime for jobs, with images and containers on local disks if the node has
# any. Running it again changes nothing.
#   containers.sh docker|pyxis FOLDER [head]
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
# Whether a folder is root's and only root can write to it.
is_own() {
  local found
  found=$(stat -c '%F %u %a' "$1") && [[ $found =~ ^directory\ 0\ [0-7]*[0145][0145]$ ]]
}

# A folder that only root changes. Users may write to the folder above it: who had made this one before
# would own what root writes into it, such as slurm.conf.
own_folder() {
  local above
  above=$(stat -Lc '%F %u %a' "$(dirname "$1")") || fail "cannot make $1"
  # Without the sticky bit, who can write to the folder above renames this one.
  [[ $above =~ \ 0\ ([0-7]*[0145][0145]|[1357][0-7]{3})$ ]] ||
    fail "others than root can replace $1, because of the folder above it ($above): make that root's, with mode 0755 or 1777"
  mkdir -m 0755 "$1" 2>/dev/null || true
  [[ -e $1 || -L $1 ]] || fail "cannot make $1"
  is_own "$1" ||
    fail "others than root can write to $1 ($(stat -c '%F %u %a' "$1")): move it away, once you know who made it"
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

# Users cannot share an Enroot folder, and enroot_folder makes that of its caller.
folders() {
  local runtime=$1 base=$2 folder
  mkdir -p "$base"
  # An image may open its disks to all, without the sticky bit.
  if [[ $(stat -Lc '%u %a' "$base") == '0 777' ]]; then chmod +t "$base"; fi
  if [[ $runtime == docker ]]; then
    own_folder "$base/docker"
  else
    # Earlier versions opened it.
    [[ -L $base/enroot ]] || chmod --quiet go-w "$base/enroot" || true
    own_folder "$base/enroot"
    for folder in "$base/enroot"/{cache,data,tmp}; do
      mkdir -p "$folder"
      # While the folder above was open, others may have made it, or a link.
      [[ $(stat -c '%F %u %a' "$folder") == 'directory 0 '* ]] ||
        fail "$folder is not root's ($(stat -c '%F %u %a' "$folder")): move it away, once you know who made it"
      chmod 1777 "$folder"
    done
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

# Slurm passes group ids from node to node, so the id must be the same on all.
docker_group() {
  getent group docker >/dev/null || groupadd --gid 480 docker || groupadd --system docker
}

# Only the image's default user and users of the spec, whom users.sh adds, are members of the group.
docker_members() {
  local name
  docker_group
  name=$(getent passwd 1000 | cut -d : -f 1)
  if id "$name" >/dev/null 2>&1; then usermod --append --groups docker "$name"; fi
}

# Users of Docker are root on its node. Jobs have the groups that their users have where
# slurmctld runs, so users are members there as well; but there the socket is root's alone.
# https://slurm.schedmd.com/slurm.conf.html#OPT_disable_send_gids
docker_without_users() {
  local socket=/run/docker.sock
  docker_members
  if changed /etc/systemd/system/docker.socket.d/90-clustergen.conf <<<$'[Socket]\nSocketGroup=root'; then
    systemctl daemon-reload
  fi
  # Of the image, or of an earlier version, which ran Docker here as well.
  if [[ -S $socket ]]; then chgrp root "$socket"; fi
}

docker_ready() {
  local base=$1 settings restart=no
  # Before Docker first starts, so that it never fills the root volume.
  settings=$(docker_settings "$base/docker") || fail "$SETTINGS is not JSON"
  if changed "$SETTINGS" <<<"$settings"; then restart=yes; fi
  docker_members
  if ! command -v docker >/dev/null; then
    install_docker || fail "the image has no Docker, and no package repository responds"
  fi
  if command -v nvidia-ctk >/dev/null && ! grep -q nvidia "$SETTINGS"; then
    nvidia-ctk runtime configure --runtime=docker
    restart=yes
  fi
  if [[ $restart == yes ]]; then systemctl try-restart docker.service; fi
  systemctl enable --now docker.service || fail "Docker does not start"
}

# Enroot asks this program, as its user, where the user's folders are. Anyone could have made one before,
# and would read images and change containers in it. Nobody replaces a folder of its user: the folder
# above it has the sticky bit.
readonly OF_USER=/etc/enroot/clustergen-folder.sh
enroot_folder() {
  changed "$OF_USER" 0755 <<'END' || true
#!/bin/bash -p
# Prints the folder of its user in $1, which is open to all. For Enroot, which reads the answer as a
# setting: https://github.com/NVIDIA/enroot/blob/master/enroot.in (config::load)
# With -p, options and functions of the environment do not count.
export PATH=/usr/bin:/bin LC_ALL=C
folder=$1/user-$EUID
problem=$(mkdir -m 0700 "$folder" 2>&1)
if [[ $(stat -c '%F %u' "$folder" 2>/dev/null) == "directory $EUID" ]] && problem=$(chmod 0700 "$folder" 2>&1); then
  printf '%s\n' "$folder"
else
  if [[ $problem == *': File exists' ]]; then
    problem="$folder is not yours ($(stat -c '%F of %U' "$folder" 2>&1)): ask an administrator of the node to remove it"
  fi
  printf 'enroot: %s\n' "$problem" >&2
  # Without a folder, Enroot would use another one: it cannot make this one, and ends.
  printf '/dev/null/not-yours\n'
fi
END
}

# Enroot's settings. The image's file may have the same settings, and Enroot's version determines
# which file wins, so both files get only ours.
enroot_settings() {
  local base=$1/enroot file=/etc/enroot/enroot.conf kept ours
  enroot_folder
  ours=$(
    cat <<END
ENROOT_RUNTIME_PATH \$($OF_USER /run/enroot)
ENROOT_CACHE_PATH \$($OF_USER $base/cache)
ENROOT_DATA_PATH \$($OF_USER $base/data)
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

# Runtime folders are on tmpfs, so create them at every boot. In Pyxis's, root makes those of users.
# https://github.com/NVIDIA/pyxis/blob/master/pyxis_slurmstepd.c
runtime_folders() {
  changed /etc/tmpfiles.d/clustergen-enroot.conf <<'END' || true
d /run/enroot 1777 root root -
d /run/pyxis 0755 root root -
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
  if [[ $runtime == docker && ${3:-} == head ]]; then
    docker_without_users
    return
  fi
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
