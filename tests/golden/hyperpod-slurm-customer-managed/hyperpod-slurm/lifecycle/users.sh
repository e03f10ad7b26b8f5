#!/bin/bash
# Creates the users of the cluster with the same ids as on all nodes, so that they own the same
# files on shared storage everywhere. Running it again changes nothing.
#   users.sh HOMES make|leave
#   HOMES       the folder of all home directories
#   make|leave  whether this node creates missing ones; with shared homes, one node is enough
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'users: %s\n' "$*" >&2
  exit 1
}

# place NEW FINAL: renames a finished folder, unless another node was faster.
place() {
  mv -T "$1" "$2" 2>/dev/null || rm -rf "$1"
  [[ -d $2 ]] || fail "cannot make $2"
}

readonly HOMES=${1%/} MAKE=$2

add_user() {
  local name=$1 uid=$2 found
  found=$(id -u "$name" 2>/dev/null) || found=
  if [[ -n $found ]]; then
    [[ $found == "$uid" ]] || fail "$name has the id $found on this node, not $uid"
    return
  fi
  # Files have numeric ids, so a group with this id is enough, whatever its name.
  getent group "$uid" >/dev/null || groupadd --gid "$uid" "$name" || fail "cannot add the group $name ($uid)"
  useradd --uid "$uid" --gid "$uid" --no-create-home --home-dir "$HOMES/$name" \
    --shell /bin/bash "$name" || fail "cannot add $name ($uid)"
}

add_home() {
  local name=$1 uid=$2 home=$HOMES/$1 new owner
  if [[ -d $home ]]; then
    owner=$(stat -c %u "$home")
    # From an interrupted run, or from another tool.
    if [[ $owner == 0 && $uid != 0 ]]; then
      chown -R "$uid:$uid" "$home"
    elif [[ $owner != "$uid" ]]; then
      # Of a user with this name and another id, whose files these may be.
      printf 'users: %s belongs to the id %s, not to %s: if it is theirs, chown -R %s:%s %s\n' \
        "$home" "$owner" "$name ($uid)" "$uid" "$uid" "$home" >&2
    fi
    return
  fi
  mkdir -p "$HOMES"
  new=$(mktemp -d "$HOMES/.new-XXXXXX")
  cp -rT /etc/skel "$new"
  chmod 0700 "$new"
  chown -R "$uid:$uid" "$new"
  place "$new" "$home"
}

add_user alice 2001
if [[ $MAKE == make ]]; then
  add_home alice 2001
fi
