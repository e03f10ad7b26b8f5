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

# Each disk has several names there, which resolve to one device.
disks() {
  local name
  for name in /dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_*; do
    if [[ -b $name && $name != *-part* ]]; then readlink -f "$name"; fi
  done | sort -u
}

make_file_system() {
  local -a found
  local disk device
  mapfile -t found < <(disks)
  [[ -n ${found[*]} ]] || fail "the instance has no local NVMe that is free, and none at $IMAGE_DISKS"
  for disk in "${found[@]}"; do
    [[ -z $(wipefs --noheadings "$disk") ]] || fail "$disk is not empty"
  done
  device=${found[0]}
  if [[ -n ${found[1]:-} ]]; then
    command -v mdadm >/dev/null || fail "the image has no mdadm"
    device=$ARRAY
    mdadm --create "$device" --run --level=0 --raid-devices="$(printf '%s\n' "${found[@]}" | wc -l)" \
      "${found[@]}"
  fi
  mkfs.ext4 -q -L "$LABEL" -E lazy_itable_init=1,lazy_journal_init=1 "$device"
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
      if ! blkid -L "$LABEL" >/dev/null; then make_file_system; fi
      mount -o noatime,nodiratime "LABEL=$LABEL" "$mount_point"
    fi
  fi
  chmod 1777 "$mount_point"
}

at_boot scratch "dlami-nvme.service local-fs.target" "slurmd.service kubelet.service" "$1"
main "$@"
