#!/bin/bash
# Images and containers on local NVMe, or on the second volume: the root volume has 100 GB.
#   containers.sh docker|pyxis
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# changed FILE [MODE]: writes standard input to a file; whether that changed it is the status.
changed() {
  local file=$1 mode=${2:-0644} text
  text=$(cat)
  [[ ! -f $file || $(<"$file") != "$text" ]] || return 1
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$text" >"$file"
  chmod "$mode" "$file"
}

readonly NVME=/opt/dlami/nvme VOLUME=/opt/sagemaker DOCKER=/etc/docker/daemon.json

storage() {
  local second
  # The image gathers and mounts the disks by itself, somewhat after boot.
  if systemctl cat dlami-nvme.service >/dev/null 2>&1; then
    for ((second = 0; second < 120; second += 5)); do
      if mountpoint -q "$NVME"; then break; fi
      sleep 5
    done
  fi
  if mountpoint -q "$NVME"; then
    printf '%s\n' "$NVME"
  elif mountpoint -q "$VOLUME"; then
    printf '%s\n' "$VOLUME"
  else
    fail "neither $NVME nor $VOLUME is mounted"
  fi
}

# Docker's settings with another data-root; what else they say stays.
docker_settings() {
  python3 - "$DOCKER" "$1" <<'END'
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

docker_ready() {
  local root=$1/docker/data-root settings
  command -v docker >/dev/null || fail "the image has no Docker"
  mkdir -p "$root"
  settings=$(docker_settings "$root") || fail "$DOCKER is not JSON"
  if changed "$DOCKER" <<<"$settings"; then
    systemctl try-restart docker.service
  fi
  systemctl enable --now docker.service
}

# A folder for each user: with a shared cache the second user fails on the files of the first.
pyxis_ready() {
  local base=$1/enroot
  command -v enroot >/dev/null || fail "the image has no Enroot"
  mkdir -p "$base"/{cache,data,runtime,tmp}
  chmod 1777 "$base" "$base"/{cache,data,runtime,tmp}
  changed /etc/enroot/enroot.conf.d/90-clustergen.conf <<END || true
ENROOT_RUNTIME_PATH $base/runtime/user-\$(id -u)
ENROOT_CACHE_PATH $base/cache/user-\$(id -u)
ENROOT_DATA_PATH $base/data/user-\$(id -u)
ENROOT_TEMP_PATH $base/tmp
END
  grep -rqs pyxis /opt/slurm/etc/plugstack.conf /opt/slurm/etc/plugstack.conf.d /etc/slurm/plugstack.conf.d ||
    fail "no plugstack.conf names Pyxis: srun has no --container-image"
}

main() {
  local base
  base=$(storage)
  case $1 in
    docker) docker_ready "$base" ;;
    pyxis) pyxis_ready "$base" ;;
    *) fail "unknown runtime $1" ;;
  esac
}

main "$@"
