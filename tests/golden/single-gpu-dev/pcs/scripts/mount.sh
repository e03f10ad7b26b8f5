#!/bin/bash
# Mounts a file system, now and at every boot. Running it again changes nothing.
#   mount.sh TYPE MOUNT-POINT SOURCE OPTIONS new|existing [VOLUME REGION]
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'mount: %s\n' "$*" >&2
  exit 1
}

# The service may terminate the node after a failed script. Let the log agent send the log first.
linger() {
  local status=$?
  ((status == 0)) || sleep 20
}
trap linger EXIT

readonly ATTEMPTS=20 PAUSE=5

path_of_volume() {
  local found
  found=$(timeout 60 aws fsx describe-volumes --region "$2" --volume-ids "$1" --output text \
    --query 'Volumes[0].[OpenZFSConfiguration.VolumePath,OntapConfiguration.JunctionPath]') ||
    fail "cannot look up volume $1: the node's role needs fsx:DescribeVolumes"
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

# Amazon Linux has a package; AWS gives this script for others, and changes it without a version:
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-files-prereq-policies.html
install_mount_efs() {
  local attempt script
  # Another program may install packages at boot.
  for attempt in 1 2 3; do
    ((attempt == 1)) || sleep 30
    if timeout 300 dnf install --assumeyes --quiet amazon-efs-utils </dev/null; then return; fi
    if script=$(curl --fail --silent --show-error --proto '=https' --connect-timeout 10 --max-time 60 \
      https://amazon-efs-utils.aws.com/efs-utils-installer.sh) &&
      DEBIAN_FRONTEND=noninteractive timeout 600 sh -s -- --install <<<"$script"; then return; fi
  done
  return 1
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

# add_key UID HOME KEY, as the user: root would follow a link in a home that leads to other files.
add_key() {
  # shellcheck disable=SC2016 # for the shell of the user
  setpriv --reuid "$1" --regid "$1" --clear-groups bash -euc '
    umask 077
    file=$1/authorized_keys
    mkdir -p "$1"
    # Other nodes may be adding it to the same file.
    exec 9>>"$file"
    flock --wait 60 9 || true
    if grep -qsxF -- "$2" "$file"; then exit; fi
    if [[ -s $file && -n $(tail -c 1 "$file") ]]; then printf "\n" >>"$file"; fi
    printf "%s\n" "$2" >>"$file"
    chmod 0700 "$1"
    chmod 0600 "$file"' bash "$2/.ssh" "$3"
}

# A file system mounted at /home hides the home directories of the image's users, who then could not
# log in with their keys: copy them, and later keys, such as that of a new key pair.
put_back_homes() {
  local mount_point=$1 below name uid home new key
  below=$(mktemp -d)
  mount --bind / "$below" || return 0
  while IFS=: read -r name _ uid _ _ home _; do
    ((uid >= 1000)) && [[ $home == "$mount_point"/* ]] || continue
    if [[ ! -e $home && -d $below$home ]]; then
      new=$(mktemp -d "${home%/*}/.new-XXXXXX") && cp -aT "$below$home" "$new" &&
        place "$new" "$home" || printf 'mount: %s has no home on %s\n' "$name" "$mount_point" >&2
    elif [[ $(stat -c %u "$home") == "$uid" && -f $below$home/.ssh/authorized_keys ]]; then
      while IFS= read -r key; do
        [[ -z $key ]] || add_key "$uid" "$home" "$key" ||
          printf 'mount: %s has no key of %s\n' "$home" "$name" >&2
      done <"$below$home/.ssh/authorized_keys"
    fi
  done < <(getent passwd)
  umount "$below"
  rmdir "$below"
}

# Only root can write to the root of a new Lustre or EFS file system, and to folders that are linked
# with S3. Changed or existing permissions are kept, and links of users are not followed.
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/posix-metadata-support.html
open_to_users() (
  place=$(cd -P "$1" && pwd)${2:-}
  cd "$1${2:-}" 2>/dev/null && [[ $(readlink /proc/self/cwd) == "$place" ]] || return 0
  if [[ $(stat -c '%u:%g %a' .) == "0:0 755" ]]; then chmod 1777 .; fi
)

# mount_file_system TYPE MOUNT-POINT SOURCE OPTIONS new|existing [VOLUME REGION]
#   TYPE     lustre, nfs, efs, s3 or s3-read-only; for a bucket, OPTIONS is the prefix in it
#   VOLUME   an FSx volume, whose path is looked up and appended to SOURCE; for Lustre, the folders
#            that FSx exports to S3, such as "/data /results"
mount_file_system() {
  local type=$1 mount_point=${2%/} source=$3 options=$4 age=$5 volume=${6:--} region=${7:-} path
  local folders='' was=''
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
    # The policy of a new one, which the foundation writes, refuses clients without TLS.
    if command -v mount.efs >/dev/null || { [[ $age == new ]] && install_mount_efs; }; then
      type=efs options=tls
    elif [[ $age == new ]]; then
      fail "the image has no mount.efs, of amazon-efs-utils, which could not be installed, and" \
        "$source accepts TLS only"
    fi
  fi
  if [[ $type == lustre && $volume != - ]]; then folders=$volume volume=-; fi
  if mountpoint -q "$mount_point"; then
    # One that was replaced usually still responds: users of this node would write to the old one.
    was=$(awk -v at="$mount_point" '$2 == at && /,x-systemd.automount,/ { print $1 }' /etc/fstab) || was=
    [[ -z $was || $was == "$source"* ]] ||
      fail "$mount_point is still $was, and should be $source: delete the line of $mount_point in" \
        "/etc/fstab, reboot this node, and run this again"
  else
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
  for path in $folders; do open_to_users "$mount_point" "$path"; done
}

mount_file_system "$@"
