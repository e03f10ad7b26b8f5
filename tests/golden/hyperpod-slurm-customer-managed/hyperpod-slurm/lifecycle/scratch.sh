#!/bin/bash
# Mounts local NVMe disks as scratch space, now and at every boot, which may have emptied the disks.
# Running it again changes nothing; disks with any content are not touched.
#   scratch.sh MOUNT-POINT
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'scratch: %s\n' "$*" >&2
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

readonly LABEL=scratch ARRAY=/dev/md/scratch
# Exists from the creation of the array until it has a file system.
readonly UNFINISHED=/var/lib/clustergen/scratch-array

# Each disk has several names there, which resolve to one device.
disks() {
  local name
  for name in /dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_*; do
    if [[ -b $name && $name != *-part* ]]; then readlink -f "$name"; fi
  done | sort -u
}

# Links to disks may appear somewhat later than the disks.
settle() {
  if command -v udevadm >/dev/null; then udevadm settle --timeout=60 || true; fi
}

# assemble DISK...: the array of an earlier boot; not every image does it at boot.
assemble() {
  if [[ -b $ARRAY ]] || ! command -v mdadm >/dev/null; then return; fi
  mdadm --assemble "$ARRAY" --name="$LABEL" "$@" || true
  settle
}

stop_unless_empty() {
  local device
  for device in "$@"; do
    [[ -z $(wipefs --noheadings "$device") ]] || fail "$device is not empty"
  done
}

# create_array DISK...: an interrupted run may have created it already.
create_array() {
  if [[ -b $ARRAY && -e $UNFINISHED ]]; then return; fi
  stop_unless_empty "$@"
  command -v mdadm >/dev/null || fail "the image has no mdadm"
  mkdir -p "${UNFINISHED%/*}"
  : >"$UNFINISHED"
  mdadm --create "$ARRAY" --run --level=0 "--raid-devices=$#" "$@"
}

make_file_system() {
  local device=$1
  if [[ -n ${2:-} ]]; then
    create_array "$@"
    device=$ARRAY
  fi
  stop_unless_empty "$device"
  mkfs.ext4 -q -L "$LABEL" -E lazy_itable_init=1,lazy_journal_init=1 "$device"
  rm -f "$UNFINISHED"
}

mount_own() {
  local -a found
  settle
  mapfile -t found < <(disks)
  if [[ -n ${found[1]:-} ]]; then assemble "${found[@]}"; fi
  if ! blkid -L "$LABEL" >/dev/null; then
    [[ -n ${found[*]} ]] || fail "the instance has no local NVMe that is free, and none at $IMAGE_DISKS"
    make_file_system "${found[@]}"
  fi
  mount -o noatime,nodiratime "LABEL=$LABEL" "$1"
}

main() {
  local mount_point=$1
  if ! mountpoint -q "$mount_point"; then
    # Only root can write to the unmounted folder, so nothing fills the root volume.
    mkdir -p "$mount_point"
    if mounted_by_image; then
      mkdir -p "$IMAGE_DISKS/scratch"
      mount --bind "$IMAGE_DISKS/scratch" "$mount_point"
    else
      mount_own "$mount_point"
    fi
  fi
  chmod 1777 "$mount_point"
}

at_boot scratch "dlami-nvme.service local-fs.target" "slurmd.service kubelet.service" "$1"
main "$@"
