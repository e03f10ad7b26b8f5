#!/bin/bash
# Settings that NCCL and libfabric need today; they detect all others better automatically.
# https://github.com/aws/aws-ofi-nccl
#   environment.sh efa|plain [nvlink]     nvlink: GPUs of several nodes share one NVLink domain
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
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

readonly TUNER=/opt/amazon/ofi-nccl/lib/libnccl-ofi-tuner.so

# One NAME=value per line. Names of interfaces differ, so this lists those to exclude.
nccl() {
  printf '%s\n' NCCL_DEBUG=WARN NCCL_SOCKET_IFNAME=^docker,lo,veth
  if [[ $1 == efa && -f $TUNER ]]; then printf 'NCCL_TUNER_PLUGIN=%s\n' "$TUNER"; fi
  if [[ ${2:-} == nvlink ]]; then printf '%s\n' NCCL_MNNVL_ENABLE=1; fi
}

# With the first, a job fails if EFA is missing, instead of being slow. Without huge pages, data
# loaders that fork do not run out of memory.
libfabric() {
  if [[ $1 == efa ]]; then printf '%s\n' FI_PROVIDER=efa FI_EFA_USE_HUGE_PAGE=0; fi
}

# Writes our lines to NCCL's file between two comments; other lines are kept and win.
nccl_conf() {
  local line kept
  kept=$(sed '/^# clustergen begins$/,/^# clustergen ends$/d' /etc/nccl.conf 2>/dev/null || true)
  [[ -z $kept ]] || printf '%s\n' "$kept"
  echo '# clustergen begins'
  nccl "$@" | while IFS= read -r line; do
    grep -q "^[[:space:]]*${line%%=*}[[:space:]]*=" <<<"$kept" || printf '%s\n' "$line"
  done
  echo '# clustergen ends'
}

# Steps of batch jobs are not login shells: NCCL reads its file, and jobs inherit the rest from the
# shell that submits them.
text=$(nccl_conf "$@")
changed /etc/nccl.conf <<<"$text" || true
{
  nccl "$@"
  libfabric "$@"
} | sed 's/^/export /' | changed /etc/profile.d/90-clustergen.sh || true
