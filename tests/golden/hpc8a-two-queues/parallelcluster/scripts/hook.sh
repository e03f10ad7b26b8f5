#!/usr/bin/env bash
# Runs the scripts of the spec for head and login nodes. ParallelCluster rejects an update that
# changes their custom actions, so these are always this script, which each deployment overwrites.
# usage: hook.sh head|login start|configured|updated BUCKET
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'hook: %s\n' "$*" >&2
  exit 1
}

# The service may terminate the node after a failed script. Let the log agent send the log first.
linger() {
  local status=$?
  ((status == 0)) || sleep 20
}
trap linger EXIT

role=${1:?usage: hook.sh head|login start|configured|updated BUCKET}
event=${2:?usage: hook.sh head|login start|configured|updated BUCKET}
bucket=${3:?usage: hook.sh head|login start|configured|updated BUCKET}
# Scripts read keys in it.
export bucket
marks=/var/lib/clustergen/ran

folder=$(mktemp -d)
trap 'linger; rm -rf "$folder"' EXIT

# run URL SHA256|- [ARGUMENT...]
run() {
  local url=$1 sha256=$2 script=$folder/script found
  shift 2
  case $url in
    s3://*) timeout 600 aws s3 cp --only-show-errors "$url" "$script" || fail "cannot read $url" ;;
    https://*)
      curl --fail --silent --show-error --location --proto '=https' --retry 5 --max-time 300 \
        --output "$script" "$url" || fail "cannot read $url"
      ;;
    *) fail "$url is neither s3:// nor https://" ;;
  esac
  if [[ $sha256 != - ]]; then
    read -r found _ < <(sha256sum "$script")
    [[ $found == "$sha256" ]] || fail "$url has the checksum $found, not $sha256"
  fi
  chmod 0700 "$script"
  "$script" "$@"
}

# setup KEY SHA256 [ARGUMENT...]: runs one of clustergen's scripts, all of which are idempotent
setup() {
  run "s3://$bucket/$1" "${@:2}"
}

# try KEY SHA256 [ARGUMENT...]: a script whose timer repeats it must not fail the cluster
try() {
  setup "$@" ||
    printf 'hook: %s failed; the node continues, and tries it again every five minutes\n' "$1" >&2
}

# At an update, new scripts run; the others do not run again.
once() {
  local mark
  mark=$marks/$(printf '%s\0' "$@" | sha256sum | cut -c 1-32)
  if [[ $event == updated && -e $mark ]]; then return; fi
  run "$@"
  install -d "$marks"
  touch "$mark"
}

case $role-$event in
  head-start)
    ;;
  head-configured | head-updated)
    ;;
  login-start)
    ;;
  login-configured | login-updated)
    ;;
  *) fail "no event $event of a $role node" ;;
esac
