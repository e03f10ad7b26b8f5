#!/bin/bash
# Moves container images and pods to the second volume: a few training images would fill the root
# volume of 100 GB.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

readonly VOLUME=/opt/sagemaker

wait_for_volume() {
  local second
  for ((second = 0; second < 60; second += 5)); do
    if mountpoint -q "$VOLUME"; then return; fi
    sleep 5
  done
  fail "the second volume is not mounted at $VOLUME"
}

# move FOLDER SERVICE: moves a folder to the volume, and bind-mounts it.
move() {
  local folder=$1 service=$2 new=$VOLUME/${1##*/} line
  line="$new $folder none bind,nofail,x-systemd.requires-mounts-for=$VOLUME,x-systemd.before=$service 0 0"
  if ! grep -qsxF -- "$line" /etc/fstab; then printf '%s\n' "$line" >>/etc/fstab; fi
  if mountpoint -q "$folder"; then return; fi
  systemctl stop "$service"
  mkdir -p "$folder" "$new"
  cp -a "$folder/." "$new/"
  mount --bind "$new" "$folder"
}

main() {
  local service running=()
  wait_for_volume
  # HyperPod later starts the services that do not run yet.
  for service in containerd.service kubelet.service; do
    if systemctl is-active --quiet "$service"; then running+=("$service"); fi
  done
  move /var/lib/kubelet kubelet.service
  move /var/lib/containerd containerd.service
  if [[ -n ${running[*]} ]]; then systemctl start "${running[@]}"; fi
}

main
