#!/bin/bash
# Creates the users of the cluster with the same ids as on all nodes, so that they own the same
# files on shared storage everywhere. Running it again changes nothing.
#   users.sh HOMES make|leave|find [FOLDER...]
#   HOMES            the folder of all home directories
#   make|leave|find  whether this node creates missing ones; with shared homes, one node is enough.
#                    find: in a cluster of others, whose users have their homes in one of the
#                    FOLDERs; creates missing ones, and leaves all others as they are
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

readonly MAKE=$2 FOLDERS=("${@:3}" "${1%/}")

# The home that a user has on this node, or on shared storage; else the one to create.
home_of() {
  local known folder
  if [[ $MAKE == find ]]; then
    if IFS=: read -r _ _ _ _ _ known _ < <(getent passwd "$1"); then
      printf '%s\n' "$known"
      return
    fi
  fi
  for folder in "${FOLDERS[@]}"; do
    if [[ -d $folder/$1 ]]; then
      printf '%s\n' "$folder/$1"
      return
    fi
  done
  for folder in "${FOLDERS[@]}"; do
    if [[ -d $folder ]]; then break; fi
  done
  printf '%s\n' "$folder/$1"
}

add_user() {
  local name=$1 uid=$2 home=$3 found
  found=$(id -u "$name" 2>/dev/null) || found=
  if [[ -n $found ]]; then
    [[ $found == "$uid" ]] || fail "$name has the id $found on this node, not $uid"
    return
  fi
  # Files have numeric ids, so a group with this id is enough, whatever its name.
  getent group "$uid" >/dev/null || groupadd --gid "$uid" "$name" || fail "cannot add the group $name ($uid)"
  useradd --uid "$uid" --gid "$uid" --no-create-home --home-dir "$home" \
    --shell /bin/bash "$name" || fail "cannot add $name ($uid)"
}

add_home() {
  local name=$1 uid=$2 home=$3 folder=${3%/*} new owner
  if [[ -d $home ]]; then
    owner=$(stat -c %u "$home")
    if [[ $owner == "$uid" ]]; then
      return
    elif [[ $MAKE == find ]]; then
      printf 'users: %s belongs to the id %s: write it in the spec for %s, instead of %s\n' \
        "$home" "$owner" "$name" "$uid" >&2
    elif [[ $owner == 0 ]]; then
      # From an interrupted run, or from another tool.
      chown -R "$uid:$uid" "$home"
    else
      # Of a user with this name and another id, whose files these may be.
      printf 'users: %s belongs to the id %s, not to %s: if it is theirs, chown -R %s:%s %s\n' \
        "$home" "$owner" "$name ($uid)" "$uid" "$uid" "$home" >&2
    fi
    return
  fi
  # File servers may treat root as nobody.
  if ! { mkdir -p "$folder" && new=$(mktemp -d "$folder/.new-XXXXXX") && chown "$uid:$uid" "$new"; }; then
    [[ -z $new ]] || rmdir "$new" || true
    [[ $MAKE == find ]] || fail "cannot make $home"
    printf 'users: root cannot make %s: ask the owner of the cluster for it\n' "$home" >&2
    return
  fi
  cp -rT /etc/skel "$new"
  chmod 0700 "$new"
  chown -R "$uid:$uid" "$new"
  place "$new" "$home"
}

home=$(home_of alice)
add_user alice 2001 "$home"
if [[ $MAKE != leave ]]; then
  add_home alice 2001 "$home"
fi
