#!/bin/bash
# Mounts the file systems of file-systems.json that nobody has mounted yet, now and on every later
# boot, and tries each with a write: a mount may be there before the file system takes files.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

readonly ATTEMPTS=20 PAUSE=5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

# Five fields of each file system, each ended by a NUL.
file_systems() {
  python3 - "$here/file-systems.json" <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as stream:
    for entry in json.load(stream):
        for name in ("type", "mount", "source", "options", "volume"):
            sys.stdout.write(entry.get(name, "") + "\0")
END
}

# The path of an FSx volume, which only FSx knows.
path_of_volume() {
  local found
  found=$(timeout 60 aws fsx describe-volumes --region us-east-1 --volume-ids "$1" --output text \
    --query 'Volumes[0].[OntapConfiguration.JunctionPath, OpenZFSConfiguration.VolumePath]') ||
    fail "cannot look up volume $1: the execution role needs fsx:DescribeVolumes"
  tr '\t' '\n' <<<"$found" | grep -m 1 '^/' || fail "volume $1 has no path to mount"
}

# The line of the mount point in /etc/fstab, replaced or added.
remember() {
  local line=$1 mount_point=$2 written
  if grep -qsxF -- "$line" /etc/fstab; then return; fi
  written=$(mktemp /etc/fstab.XXXXXX)
  [[ ! -f /etc/fstab ]] || awk -v at="$mount_point" '$2 != at' /etc/fstab >"$written"
  printf '%s\n' "$line" >>"$written"
  chmod 0644 "$written"
  mv "$written" /etc/fstab
}

try_write() {
  local probe
  probe="$1/.clustergen-$(hostname)-$$"
  timeout 60 touch "$probe" && timeout 60 rm -f "$probe"
}

mount_once() {
  local type=$1 mount_point=$2 source=$3 options=$4
  timeout 120 mount -t "$type" -o "$options" "$source" "$mount_point"
}

bring_up() {
  local type=$1 mount_point=$2 source=$3 attempt
  mkdir -p "$mount_point"
  for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
    if mountpoint -q "$mount_point" || mount_once "$@"; then
      if [[ $type == s3* ]] || try_write "$mount_point"; then return; fi
    fi
    printf 'mounts: %s is not there yet (%d of %d)\n' "$mount_point" "$attempt" "$ATTEMPTS" >&2
    sleep "$PAUSE"
  done
  fail "$source could not be mounted on $mount_point, or takes no files"
}

main() {
  local type mount_point source options volume path
  while IFS= read -r -d '' type && IFS= read -r -d '' mount_point && IFS= read -r -d '' source &&
    IFS= read -r -d '' options && IFS= read -r -d '' volume; do
    if ! mountpoint -q "$mount_point"; then
      if [[ -n $volume ]]; then
        path=$(path_of_volume "$volume")
        source=$source:$path
      fi
      if [[ $type != s3* ]]; then
        remember "$source $mount_point $type $options,_netdev,x-systemd.automount,x-systemd.requires=network-online.target 0 0" \
          "$mount_point"
      fi
    fi
    bring_up "$type" "$mount_point" "$source" "$options"
  done < <(file_systems)
}

main
