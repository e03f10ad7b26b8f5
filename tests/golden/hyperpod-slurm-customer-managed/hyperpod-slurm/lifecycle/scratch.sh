#!/bin/bash
# Local NVMe as scratch space: HyperPod's images mount the disks themselves, somewhat after boot.
#   scratch.sh MOUNT-POINT
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

readonly DISKS=/opt/dlami/nvme

main() {
  local mount_point=$1 second line
  for ((second = 0; second < 300; second += 5)); do
    if mountpoint -q "$DISKS"; then break; fi
    sleep 5
  done
  mountpoint -q "$DISKS" || fail "the local disks are not mounted at $DISKS"
  mkdir -p "$DISKS/scratch" "$mount_point"
  chmod 1777 "$DISKS/scratch"
  line="$DISKS/scratch $mount_point none bind,nofail,x-systemd.requires-mounts-for=$DISKS 0 0"
  if ! grep -qsxF -- "$line" /etc/fstab; then printf '%s\n' "$line" >>/etc/fstab; fi
  if ! mountpoint -q "$mount_point"; then mount --bind "$DISKS/scratch" "$mount_point"; fi
}

main "$@"
