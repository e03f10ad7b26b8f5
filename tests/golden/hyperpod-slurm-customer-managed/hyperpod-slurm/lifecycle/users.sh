#!/bin/bash
# Creates the users of the cluster with the same ids as on all nodes, so that they own the same
# files on shared storage everywhere. Running it again changes nothing.
#   users.sh install FILE|KEY|S3-URL HOMES make|leave|find [FOLDER...]
#                    does what the table there says, now and, with a timer, whenever it changes
#   users.sh run     does it if the table has changed
#   HOMES            the folder of all home directories
#   make|leave|find  whether this node creates missing ones; with shared homes, one node is enough.
#                    find: in a cluster of others, whose users have their homes in one of the
#                    FOLDERs; creates missing ones, and leaves all others as they are
# The table has for each user: name, id, and SSH key or -. Its last line has the number of users.
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

# changed FILE [MODE]: writes standard input to a file; succeeds if that changed it.
changed() {
  local file=$1 mode=${2:-0644} text
  text=$(cat)
  [[ ! -f $file || $(<"$file") != "$text" ]] || return 1
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$text" >"$file"
  chmod "$mode" "$file"
}
# Whether a folder is root's and only root can write to it.
is_own() {
  local found
  found=$(stat -c '%F %u %a' "$1") && [[ $found =~ ^directory\ 0\ [0-7]*[0145][0145]$ ]]
}

# A folder that only root changes. Users may write to the folder above it: who had made this one before
# would own what root writes into it, such as slurm.conf.
own_folder() {
  local above
  above=$(stat -Lc '%F %u %a' "$(dirname "$1")") || fail "cannot make $1"
  # Without the sticky bit, who can write to the folder above renames this one.
  [[ $above =~ \ 0\ ([0-7]*[0145][0145]|[1357][0-7]{3})$ ]] ||
    fail "others than root can replace $1, because of the folder above it ($above): make that root's, with mode 0755 or 1777"
  mkdir -m 0755 "$1" 2>/dev/null || true
  [[ -e $1 || -L $1 ]] || fail "cannot make $1"
  is_own "$1" ||
    fail "others than root can write to $1 ($(stat -c '%F %u %a' "$1")): move it away, once you know who made it"
}

# In the folder: the table, the arguments, and of accounts that this script made and locked, their ids.
readonly FOLDER=/opt/clustergen/users MOST_BYTES=4194304
readonly NAME='[a-z_][a-z0-9_-]{0,31}' ID='[1-9][0-9]{3,9}' KEY='(ssh-|ecdsa-|sk-)[^[:cntrl:]]+'

note() {
  printf 'users: %s\n' "$*" >&2
}

# All of it, or nothing: the last line counts the users, and each name and id is there once.
is_table() {
  has_form "$1" "$NAME $ID (-|$KEY)" &&
    [[ -z $(columns 1 "$1" | uniq -d)$(columns 2 "$1" | uniq -d) ]]
}

# columns NUMBER FILE: a column of a table, in order
columns() {
  grep --text -v '^#' "$2" | cut -d ' ' -f "$1" | sort
}

# has_form FILE PATTERN: whether all lines are like PATTERN, and no line is missing
has_form() {
  [[ -f $1 ]] && (($(stat --format %s "$1") <= MOST_BYTES)) &&
    [[ $(LC_ALL=C grep --text -cvxE "#.*|$2" "$1") == 0 ]] &&
    [[ $(tail -n 1 "$1") == "# end $(grep --text -cv '^#' "$1")" ]]
}

install_timer() {
  local new=no source=$1 own=$FOLDER/users.sh unit=/etc/systemd/system/clustergen-users
  mkdir -p "$FOLDER"
  case $source in
    s3://*) ;;
    # Beside this script: only deploy.sh knows the bucket.
    *.json) source=$(sed -nE 's/.*"source": "([^"]*)".*/\1/p' "$(dirname "${BASH_SOURCE[0]}")/$source") ;;
    *) source=s3://${bucket:-}/$source ;;
  esac
  changed "$FOLDER/source" <<<"$source" || true
  if [[ ! ${BASH_SOURCE[0]} -ef $own ]]; then
    cp "${BASH_SOURCE[0]}" "$own.new"
    chmod 0755 "$own.new"
    mv "$own.new" "$own"
  fi
  if changed "$unit.service" <<END
[Unit]
Description=clustergen: creates the users of the cluster

[Service]
Type=oneshot
TimeoutStartSec=300
ExecStart=/bin/bash $own run
END
  then new=yes; fi
  if changed "$unit.timer" <<'END'
[Unit]
Description=clustergen: creates the users of the cluster

[Timer]
OnCalendar=*:0/5
RandomizedDelaySec=60

[Install]
WantedBy=timers.target
END
  then new=yes; fi
  if [[ $new == yes ]]; then systemctl daemon-reload; fi
  systemctl enable --now "${unit##*/}.timer"
}

# Without S3, or if what is there is no table, the last table applies.
fetch_table() {
  local new=$FOLDER/table.new
  if timeout 60 aws s3 cp --only-show-errors "$(<"$FOLDER/source")" "$new"; then
    if is_table "$new"; then mv "$new" "$FOLDER/table"; else note "what is in S3 is no table"; fi
  fi
  is_table "$FOLDER/table"
}

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
  if [[ -z $found ]]; then
    # Files have numeric ids, so a group with this id is enough, whatever its name.
    getent group "$uid" >/dev/null || groupadd --gid "$uid" "$name" ||
      note "cannot add the group $name ($uid)"
    # First: after an interruption, the account would pass for one of the image.
    changed "$FOLDER/made/$name" <<<"$uid" || true
    useradd --uid "$uid" --gid "$uid" --no-create-home --home-dir "$home" \
      --shell /bin/bash "$name" || {
      rm "$FOLDER/made/$name"
      note "cannot add $name ($uid)"
      return 1
    }
  elif [[ $found != "$uid" ]]; then
    note "$name has the id $found on this node, not $uid"
    return 1
  elif [[ -e $FOLDER/locked/$name ]]; then
    usermod --expiredate '' "$name" && rm "$FOLDER/locked/$name"
  fi
}

# An account of the image, such as its default user: who can write the table is not root for that.
is_administrator() {
  [[ ! -e $FOLDER/made/$1 ]] && grep -qwE 'root|sudo|wheel|admin' < <(id -nG "$1") &&
    note "$1 is an administrator of this node, whose keys no table changes"
}

# lock_out NAME UID: no more logins, for an account that this script made.
lock_out() {
  [[ -e $FOLDER/made/$1 && ! -e $FOLDER/locked/$1 ]] || return 0
  usermod --expiredate 1 "$1" || return 1
  changed "$FOLDER/locked/$1" <<<"$2" || true
}

# Who left the table cannot log in any more. Only accounts that this script made are locked, and no
# file is deleted.
lock_rest() {
  local file name uid
  for file in "$FOLDER"/made/*; do
    name=${file##*/}
    if [[ ! -e $file || -e $FOLDER/locked/$name ]] || grep -q "^$name " "$FOLDER/table"; then continue; fi
    uid=$(id -u "$name" 2>/dev/null) || uid=
    if [[ $uid != "$(<"$file")" ]]; then
      # Someone else has removed it, or made another one of that name.
      rm "$file"
    else
      lock_out "$name" "$uid" || return 1
      note "$name is not in the table, and can no longer log in"
    fi
  done
}

# The owner of a home, of a link to it, or of the folder of homes decides what runs at its user's next login.
# Homes of a cluster of others stay as they are.
home_is_theirs() {
  local name=$1 uid=$2 home=$3 owner
  [[ $MAKE != find ]] || return 0
  folder_is_safe "${home%/*}" || return 1
  [[ -e $home || -L $home ]] || return 0
  for owner in $(stat -c %u "$home") $(stat -Lc %u "$home"); do
    if [[ $owner != "$uid" && $owner != 0 ]]; then
      # A user with this name and another id may have files there.
      note "$home belongs to the id $owner, not to $name ($uid): if it is theirs, chown -R $uid:$uid $home"
      return 1
    fi
  done
}

# File servers may treat root as nobody (65534): such a folder can have homes, but root makes none in it.
folder_is_safe() {
  local link found
  [[ -e $1 || -L $1 ]] || return 0
  link=$(stat -c '%F %u %a' "$1") found=$(stat -Lc '%F %u %a' "$1") || found=
  if [[ $link =~ \ (0|65534)\ [0-7]+$ ]] &&
    [[ $found =~ \ (0|65534)\ [0-7]*[0145][0145]$ || $found =~ \ 0\ [1357][0-7]{3}$ ]]; then return; fi
  note "others than root can replace homes in $1 (${found:-$link}): make it root's, with mode 0755"
  return 1
}

# homes_folder FOLDER: makes the folder of homes, or closes one that is root's. Roots of file systems
# can be open to all.
homes_folder() {
  local found
  mkdir -p "$1" && found=$(stat -c '%F %u %a' "$1") || return 1
  if [[ $MAKE != find && $found == 'directory 0 '* ]]; then
    # A file server may keep its root open to all: with the sticky bit, others rename nothing of root.
    chmod go-w "$1" || [[ ! $found =~ \ [1357][0-7]{3}$ ]] || return 0
  fi
  if [[ $found == *' 0 '* ]] && is_own "$1/."; then return; fi
  note "$1 is not root's alone ($found), so root makes no home there"
  return 1
}

# new_home FOLDER UID: a home that is not in use. The user owns it last: until then, only root changes it.
new_home() {
  local new
  homes_folder "$1" && new=$(mktemp -d "$1/.new-XXXXXX") || return 1
  if cp -rT /etc/skel "$new" && chmod 0700 "$new" && chown -Rh "$2:$2" "$new"; then
    printf '%s\n' "$new"
  else
    rm -rf "$new"
    return 1
  fi
}

add_home() {
  local name=$1 uid=$2 home=$3 new owner
  if [[ -d $home ]]; then
    owner=$(stat -Lc %u "$home")
    if [[ $owner == "$uid" ]]; then
      return
    elif [[ $MAKE == find ]]; then
      note "$home belongs to the id $owner: write it in the spec for $name, instead of $uid"
      return
    fi
    # From an interrupted run, or from another tool.
    is_own "$home" && chown -Rh "$uid:$uid" "$home" && return
    note "cannot give $home to $name ($uid)"
    return 1
  fi
  # A file server that treats root as nobody gives no home away.
  if new=$(new_home "${home%/*}" "$uid"); then
    (place "$new" "$home")
  elif [[ $MAKE == find ]]; then
    note "root cannot make $home: ask the owner of the cluster for it"
  else
    note "cannot make $home"
    return 1
  fi
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

# The file system that a folder is on, or will be.
file_system() {
  local folder=$1
  while [[ ! -d $folder ]]; do folder=$(dirname "$folder"); done
  stat --format %m "$folder"
}

follow() {
  local lines line name uid key home failed=no
  mapfile -t lines < <(grep --text -v '^#' "$FOLDER/table")
  for line in ${lines[@]+"${lines[@]}"}; do
    read -r name uid key <<<"$line"
    home=$(home_of "$name")
    home_is_theirs "$name" "$uid" "$home" || {
      lock_out "$name" "$uid"
      failed=yes
      continue
    }
    add_user "$name" "$uid" "$home" || {
      failed=yes
      continue
    }
    [[ $MAKE != leave ]] || continue
    add_home "$name" "$uid" "$home" || {
      failed=yes
      continue
    }
    [[ $key == - ]] || is_administrator "$name" || add_key "$uid" "$home" "$key" ||
      note "the key of $name is not in $home/.ssh"
  done
  lock_rest || failed=yes
  [[ $failed == no ]]
}

# follow_changes install|run
# The timer may run before file systems are mounted, and homes would be made under them.
follow_changes() {
  fetch_table || { sleep 20 && fetch_table; } || fail "there is no table of users"
  if cmp -s "$FOLDER/table" "$FOLDER/followed"; then return; fi
  [[ $MAKE == leave || $(file_system "$HOMES") == "$(<"$FOLDER/file-system")" ]] ||
    fail "$HOMES is not mounted"
  # Half of a new table may have been followed when the earlier one comes back.
  rm -f "$FOLDER/followed"
  if ! follow; then
    [[ $1 == install ]] || fail "not all users are as in the table"
    # Services replace nodes whose script fails, again and again: one user does not cost a node.
    note "not all users are as in the table; the timer tries again"
    return
  fi
  cp "$FOLDER/table" "$FOLDER/followed"
}

case ${1:-} in
  install)
    mkdir -p "$FOLDER"
    printf '%s\n' "${@:3}" | changed "$FOLDER/arguments" || true
    ;;
  run) ;;
  *) fail "usage: users.sh install FILE|KEY|S3-URL HOMES make|leave|find [FOLDER...] | run" ;;
esac
mapfile -t given <"$FOLDER/arguments"
readonly HOMES=${given[0]%/} MAKE=${given[1]} FOLDERS=("${given[@]:2}" "${given[0]%/}")
exec 9>"$FOLDER/lock"
flock --wait 240 9 || fail "another run does not end"
if [[ $1 == install ]]; then
  # Everything again: homes may be gone.
  rm -f "$FOLDER/followed"
  file_system "$HOMES" | changed "$FOLDER/file-system" || true
  install_timer "$2" 9>&-
fi
follow_changes "$1"
