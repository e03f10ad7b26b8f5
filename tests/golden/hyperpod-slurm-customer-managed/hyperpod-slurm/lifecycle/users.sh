#!/bin/bash
# People with a login: the same id on every node, so that files on shared storage are theirs on all.
#   users.sh HOMES make|leave
# HOMES is the folder of all homes; where nodes share it, the controller makes them.
# What the spec says is text here, with a dollar sign in it or not:
# shellcheck disable=SC2016
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

readonly HOMES=$1 MAKE=$2

add_user() {
  local name=$1 uid=$2 found
  found=$(id -u "$name" 2>/dev/null) || found=
  if [[ -z $found ]]; then
    getent group "$uid" >/dev/null || groupadd --gid "$uid" "$name" || fail "no group $name ($uid)"
    useradd --uid "$uid" --gid "$uid" --no-create-home --home-dir "$HOMES/$name" \
      --shell /bin/bash "$name" || fail "cannot add $name ($uid)"
  elif [[ $found != "$uid" ]]; then
    fail "$name has the id $found in the image, not $uid"
  fi
}

add_home() {
  local name=$1 uid=$2 home=$HOMES/$1
  [[ $MAKE == make ]] || return 0
  if [[ ! -d $home ]]; then
    mkdir -p "$HOMES"
    cp -rT /etc/skel "$home"
    chmod 0700 "$home"
    chown -R "$uid:$uid" "$home"
  fi
}

add_user alice 2001
add_home alice 2001
