#!/bin/bash
# Mounts file systems of file-systems.json, now and at every boot. Running it again changes nothing.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'mounts: %s\n' "$*" >&2
  exit 1
}

readonly ATTEMPTS=20 PAUSE=5

path_of_volume() {
  local found
  found=$(timeout 60 aws fsx describe-volumes --region "$2" --volume-ids "$1" --output text \
    --query 'Volumes[0].[OpenZFSConfiguration.VolumePath,OntapConfiguration.JunctionPath]') ||
    fail "cannot look up volume $1: the execution role needs fsx:DescribeVolumes"
  grep -m 1 '^/' < <(tr '\t' '\n' <<<"$found") || fail "volume $1 has no path to mount"
}

# place NEW FINAL: renames a finished folder, unless another node was faster.
place() {
  mv -T "$1" "$2" 2>/dev/null || rm -rf "$1"
  [[ -d $2 ]] || fail "cannot make $2"
}

# Adds or replaces the line of a mount point in /etc/fstab.
remember() {
  local line=$1 mount_point=$2 written
  if grep -qsxF -- "$line" /etc/fstab; then return; fi
  written=$(mktemp /etc/fstab.XXXXXX)
  [[ ! -f /etc/fstab ]] || awk -v at="$mount_point" '$2 != at' /etc/fstab >"$written"
  printf '%s\n' "$line" >>"$written"
  chmod 0644 "$written"
  mv "$written" /etc/fstab
}

mount_bucket() {
  local type=$1 mount_point=$2 bucket=$3 prefix=$4 region=$5
  local words=(--region "$region" --allow-other)
  command -v mount-s3 >/dev/null || fail "the image has no mount-s3"
  if [[ $type == s3-read-only ]]; then words+=(--read-only); fi
  if [[ -n $prefix ]]; then words+=(--prefix "$prefix"); fi
  timeout 120 mount-s3 "${words[@]}" "$bucket" "$mount_point"
}

# Whether the mounted file system responds, which may take a while. Triggers an automount if there
# is one.
answers() {
  local mount_point=$1 age=$2 probe
  timeout 120 stat "$mount_point/." >/dev/null || return 1
  # On an existing file system, root may be mapped to nobody.
  [[ $age == new ]] || return 0
  probe="$mount_point/.clustergen-$(hostname)-$$"
  timeout 60 touch "$probe" && timeout 60 rm -f "$probe"
}

# bring_up MOUNT-POINT SOURCE AGE COMMAND...
bring_up() {
  local mount_point=$1 source=$2 age=$3 attempt
  shift 3
  for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
    if mountpoint -q "$mount_point" || "$@"; then
      if answers "$mount_point" "$age"; then return; fi
    fi
    printf 'mount: %s is not there yet (%d of %d)\n' "$mount_point" "$attempt" "$ATTEMPTS" >&2
    sleep "$PAUSE"
  done
  fail "$source could not be mounted on $mount_point, or does not respond"
}

# A file system mounted at /home hides the home directories of the image's users, who then could not
# log in with their keys: copy them.
put_back_homes() {
  local mount_point=$1 below name uid home new
  below=$(mktemp -d)
  mount --bind / "$below" || return 0
  while IFS=: read -r name _ uid _ _ home _; do
    ((uid >= 1000)) && [[ $home == "$mount_point"/* ]] || continue
    if [[ ! -e $home && -d $below$home ]]; then
      new=$(mktemp -d "${home%/*}/.new-XXXXXX") && cp -aT "$below$home" "$new" &&
        place "$new" "$home" || printf 'mount: %s has no home on %s\n' "$name" "$mount_point" >&2
    fi
  done < <(getent passwd)
  umount "$below"
  rmdir "$below"
}

# Only root can write to the root of a new Lustre or EFS file system. Changed or existing
# permissions are kept.
open_to_users() {
  local mount_point=$1
  if [[ $(stat -c '%u:%g %a' "$mount_point/.") == "0:0 755" ]]; then chmod 1777 "$mount_point/."; fi
}

# mount_file_system TYPE MOUNT-POINT SOURCE OPTIONS new|existing [VOLUME REGION]
#   TYPE     lustre, nfs, efs, s3 or s3-read-only; for a bucket, OPTIONS is the prefix in it
#   VOLUME   an FSx volume, whose path is looked up and appended to SOURCE
mount_file_system() {
  local type=$1 mount_point=${2%/} source=$3 options=$4 age=$5 volume=${6:--} region=${7:-} path
  [[ $options != - ]] || options=
  mkdir -p "$mount_point"
  if [[ $type == s3* ]]; then
    # Buckets are not in /etc/fstab. Their mount points are not writable, so they stay empty.
    bring_up "$mount_point" "$source" existing \
      mount_bucket "$type" "$mount_point" "$source" "$options" "$region"
    return
  fi
  if [[ $type == efs ]]; then
    type=nfs4
    if command -v mount.efs >/dev/null; then type=efs options=tls; fi
  fi
  if ! mountpoint -q "$mount_point"; then
    if [[ $volume != - ]]; then
      path=$(path_of_volume "$volume" "$region")
      source=$source:$path
    fi
    command -v "mount.$type" >/dev/null || fail "the image has no mount.$type"
    remember "$source $mount_point $type $options,_netdev,x-systemd.automount,x-systemd.requires=network-online.target 0 0" \
      "$mount_point"
  fi
  bring_up "$mount_point" "$source" "$age" \
    timeout 120 mount -t "$type" -o "$options" "$source" "$mount_point"
  put_back_homes "$mount_point"
  if [[ $age == new && $type != nfs && $mount_point != /home ]]; then open_to_users "$mount_point"; fi
}

readonly TABLE=/opt/clustergen/lifecycle/file-systems.json

# Six fields for each file system, each terminated by a NUL.
file_systems() {
  python3 - "$TABLE" <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as stream:
    for entry in json.load(stream):
        for name in ("type", "mount", "source", "options", "age", "volume"):
            sys.stdout.write(entry.get(name, "") + "\0")
END
}

main() {
  local field fields=()
  while IFS= read -r -d '' field; do
    fields+=("$field")
    if [[ -n ${fields[5]+6} ]]; then
      mount_file_system "${fields[@]}" us-east-1
      fields=()
    fi
  done < <(file_systems)
}

main </dev/null
