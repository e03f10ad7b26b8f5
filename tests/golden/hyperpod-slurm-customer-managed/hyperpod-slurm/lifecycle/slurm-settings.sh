#!/bin/bash
# Applies the Slurm settings of the spec on the controller, from which other nodes get them.
# HyperPod writes slurm.conf. It includes our file last, because the last value wins. Slurm checks a
# copy first. Settings that it rejects never replace those in use.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
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

readonly ETC=/opt/slurm/etc SLURM=/opt/slurm/bin
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly NEW=$work/new OLD=$work/old

wait_for_slurm_conf() {
  local second
  for ((second = 0; second < 300; second += 5)); do
    if grep -qs SlurmctldHost "$ETC/slurm.conf"; then return; fi
    sleep 5
  done
  fail "$ETC/slurm.conf did not appear"
}

# The value of a setting in HyperPod's files; the last one wins.
value_of_hyperpod() {
  local name files=("$OLD/slurm.conf")
  while read -r name; do
    [[ $name == clustergen.conf || ! -f $OLD/$name ]] || files+=("$OLD/$name")
  done < <(sed -nE 's/^[[:space:]]*include[[:space:]]+([^#[:space:]]+).*/\1/Ip' "$OLD/slurm.conf")
  sed -nE "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*\"?([^\"#]*[^\"#[:space:]]).*/\1/Ip" \
    "${files[@]}" | tail -n 1
}

# Lists of options by setting, including HyperPod's: without enable_configless, for example,
# replaced nodes could not join.
declare -A options=()

# option SETTING OPTION[,OPTION...]
option() {
  options[$1]+=${options[$1]:+,}$2
}

print_options() {
  local setting list name
  for setting in $(printf '%s\n' "${!options[@]}" | sort); do
    list=$(value_of_hyperpod "$setting"),${options[$setting]}
    # If an option occurs several times, the last one wins.
    tr , '\n' <<<"$list" | awk -v "setting=$setting" '
      { gsub(/^ +| +$/, "") }
      $0 == "" { next }
      { line[NR] = $0; split(tolower($0), word, "="); last[word[1]] = NR; key[NR] = word[1] }
      END {
        for (n = 1; n <= NR; n++)
          if (n in line && last[key[n]] == n) list = list (list == "" ? "" : ",") line[n]
        print setting "=" list
      }'
  done
}

# at_least MAJOR.MINOR
at_least() {
  local version
  version=$(timeout 30 "$SLURM/scontrol" --version | grep -oE '[0-9]+\.[0-9]+' | sed -n 1p) || true
  [[ $(printf '%s\n' "$1" "$version" | sort -V | sed -n 1p) == "$1" ]]
}

# Keep a prolog of the image. If a prolog fails on a node, the job is requeued instead of held, and
# starts when all of its nodes are ready.
prolog() {
  if [[ -n $(value_of_hyperpod Prolog)$(value_of_hyperpod Epilog) ]]; then return; fi
  if at_least 23.11; then
    # Nodes download scripts with a relative path from the controller.
    printf '%s\n' Prolog=clustergen-prolog.sh Epilog=clustergen-epilog.sh
  else
    # Older versions do not distribute scripts; nodes have them from these lifecycle scripts.
    printf '%s\n' Prolog=/opt/clustergen/lifecycle/prolog.sh Epilog=/opt/clustergen/lifecycle/epilog.sh
  fi
  printf '%s\n' PrologEpilogTimeout=60
  option PrologFlags DeferBatch
  option SchedulerParameters nohold_on_prolog_fail
}

# Count GPUs in job records.
count_gpus() {
  option GresTypes gpu
  option AccountingStorageTRES gres/gpu
}

settings() {
  printf '%s\n' '# Written by clustergen.'
  # Without a database, Slurm does not start with these.
  if [[ $(value_of_hyperpod AccountingStorageType) == */slurmdbd ]]; then count_gpus; fi
  prolog
  printf '%s\n' EnforcePartLimits=ALL ReturnToService=2
  print_options
}

add_include() {
  if grep -qxF 'include clustergen.conf' "$NEW/slurm.conf"; then return; fi
  printf '\n%s\n' 'include clustergen.conf' >>"$NEW/slurm.conf"
}

# Sets keys in the lines that begin with WORD=NAME.
#   set_keys WORD NAME KEY=VALUE...
set_keys() {
  local file=$NEW/slurm.conf word=$1 name=$2 text
  shift 2
  text=$(WORD=$word NAME=$name PAIRS=$(printf '%s\n' "$@") awk '
    BEGIN { count = split(ENVIRON["PAIRS"], pair, "\n") }
    tolower($1) != tolower(ENVIRON["WORD"]) "=" tolower(ENVIRON["NAME"]) { print; next }
    {
      for (p = 1; p <= count; p++) {
        key = tolower(substr(pair[p], 1, index(pair[p], "=")))
        found = 0
        for (f = 2; f <= NF; f++)
          if (index(tolower($f), key) == 1) {
            $f = pair[p]
            found = 1
          }
        if (!found) $0 = $0 " " pair[p]
      }
      print
    }' "$file")
  changed "$file" <<<"$text" || true
}

# Only one partition is the default, so remove Default from all others.
only_default() {
  local name value
  while IFS= read -r name; do
    value=NO
    if [[ $name == "$1" ]]; then value=YES; fi
    set_keys PartitionName "$name" "Default=$value"
  done < <(sed -nE 's/^[[:space:]]*PartitionName=([^[:space:]]+).*/\1/Ip' "$NEW/slurm.conf")
}

# Before the original of a line that follows without its topology.
readonly LEFT_OUT='#clustergen, without an empty topology: '

has_topology() {
  grep -qisE '^[[:space:]]*(SwitchName|BlockName)[[:space:]]*=' "$NEW/topology.conf" ||
    grep -qsvE '^[[:space:]]*(#.*|---|\.\.\.|\[[[:space:]]*\])?[[:space:]]*$' "$NEW/topology.yaml"
}

# HyperPod's topology can be empty. With it, slurmctld 25.11 crashes, and older versions reject jobs.
# https://github.com/aws-samples/sample-physical-ai-scaffolding-kit/pull/23 and pull/14
leave_out_topology() {
  local file=$NEW/slurm.conf text has=no
  if has_topology; then
    has=yes
  else
    rm -f "$NEW/topology.conf" "$NEW/topology.yaml"
  fi
  text=$(awk -v "mark=$LEFT_OUT" -v "has=$has" '
    skip { skip = 0; next }
    index($0, mark) == 1 { $0 = substr($0, length(mark) + 1); skip = 1 }
    { word = tolower($1); line = $0 }
    has == "no" && word ~ /^partitionname=/ { gsub(/[ \t][Tt]opology=[^ \t]*/, "") }
    has == "no" && tolower($0) ~ /^[ \t]*topologyplugin[ \t]*=[ \t]*topology\/(tree|block)/ { $0 = "#" }
    $0 != line { print mark line }
    { print }' "$file")
  changed "$file" <<<"$text" || true
}

# The current files, and a copy to change.
copy_configuration() {
  local file
  rm -rf "$OLD" "$NEW"
  mkdir "$OLD"
  for file in "$ETC"/*.conf "$ETC"/*.yaml "$ETC"/clustergen-*.sh; do
    # The file with the database password is never copied.
    [[ ! -f $file || $file == */slurmdbd.conf ]] || cp -pL "$file" "$OLD/"
  done
  cp -pR "$OLD" "$NEW"
}

change_copy() {
  local script
  for script in prolog epilog; do
    changed "$NEW/clustergen-$script.sh" <"$here/$script.sh" || true
    chmod 0755 "$NEW/clustergen-$script.sh"
  done
  leave_out_topology
  settings >"$work/settings"
  changed "$NEW/clustergen.conf" <"$work/settings" || true
  set_keys PartitionName dev AllowGroups=root
  set_keys PartitionName train MaxTime=2-00:00:00
  only_default train
  add_include
}

# Slurm's clients parse slurm.conf like its daemons, and this one needs no connection.
try_copy() {
  SLURM_CONF=$NEW/slurm.conf timeout 60 "$SLURM/scontrol" show daemons >"$work/words" 2>&1 || {
    cat "$work/words" >&2
    fail "Slurm rejects the settings; $ETC is unchanged"
  }
}

# The names of changed and deleted files; included files come before slurm.conf.
differing() {
  local file
  for file in "$NEW"/* "$OLD"/topology.*; do
    cmp -s "$NEW/${file##*/}" "$OLD/${file##*/}" || [[ ! -e $file ]] || printf '%s\n' "${file##*/}"
  done | awk '$0 == "slurm.conf" { last = $0; next } { print } END { if (last) print last }'
}

# put FOLDER NAME: replaces a file atomically, at the target if it is a link. Deletes it if FOLDER
# does not have it.
put() {
  local file
  file=$(readlink -f "$ETC/$2")
  if [[ ! -f $1/$2 ]]; then
    rm -f "$file"
    return
  fi
  cp -p "$1/$2" "$file.clustergen"
  mv "$file.clustergen" "$file"
}

# Only what is still as it was put: HyperPod may have written newer files.
put_back() {
  local name
  for name in $(tac <<<"$1"); do
    if cmp -s "$NEW/$name" "$ETC/$name" || [[ ! -e $NEW/$name && ! -e $ETC/$name ]]; then
      put "$OLD" "$name"
    fi
  done
  # A slurm.conf that HyperPod made from ours includes this file.
  ! grep -qxF 'include clustergen.conf' "$ETC/slurm.conf" || touch "$ETC/clustergen.conf"
  systemctl is-active --quiet slurmctld.service || systemctl restart slurmctld.service || true
  timeout 60 "$SLURM/scontrol" reconfigure || true
}

# reconfigure NAMES: names of the replaced files
reconfigure() {
  local attempt
  # It may have given up on the settings that were there.
  if systemctl is-failed --quiet slurmctld.service; then systemctl restart slurmctld.service || true; fi
  if ! systemctl is-active --quiet slurmctld.service; then return; fi
  for ((attempt = 1; attempt <= 6; attempt++)); do
    if timeout 60 "$SLURM/scontrol" reconfigure && answers; then return; fi
    sleep 10
  done
  put_back "$1"
  fail "slurmctld rejects the settings, see its log; $ETC is unchanged"
}

answers() {
  local second
  for ((second = 0; second < 30; second += 5)); do
    if grep -q ' is UP' < <(timeout 30 "$SLURM/scontrol" ping); then return; fi
    sleep 5
  done
  return 1
}

# Ends only when nothing differs: HyperPod may also write slurm.conf while slurmctld reads it.
main() {
  local attempt names name
  for ((attempt = 1; attempt <= 5; attempt++)); do
    copy_configuration
    change_copy
    names=$(differing)
    [[ -n $names ]] || return 0
    try_copy
    if cmp -s "$OLD/slurm.conf" "$ETC/slurm.conf"; then
      for name in $names; do put "$NEW" "$name"; done
      reconfigure "$names"
    fi
  done
  fail "HyperPod keeps writing $ETC/slurm.conf"
}

# HyperPod may rewrite slurm.conf without these additions when nodes join or leave. systemd does not
# see changes while the service runs, so that a timer looks, too.
# https://github.com/systemd/systemd/blob/v255/src/core/path.c (path_enter_running)
watch_slurm_conf() {
  local units=/etc/systemd/system new=no
  changed "$units/clustergen-slurm-settings.service" <<'END' && new=yes
[Unit]
Description=Adds settings to slurm.conf that are no longer there

[Service]
Type=oneshot
ExecStartPre=/bin/sleep 10
ExecStart=/bin/bash /opt/clustergen/lifecycle/slurm-settings.sh
END
  changed "$units/clustergen-slurm-settings.path" <<'END' && new=yes
[Unit]
Description=Changes of slurm.conf

[Path]
PathChanged=/opt/slurm/etc/slurm.conf
PathChanged=/opt/slurm/etc/topology.conf
PathChanged=/opt/slurm/etc/topology.yaml

[Install]
WantedBy=multi-user.target
END
  changed "$units/clustergen-slurm-settings.timer" <<'END' && new=yes
[Unit]
Description=Looks at slurm.conf from time to time

[Timer]
OnActiveSec=5min
OnUnitInactiveSec=5min

[Install]
WantedBy=timers.target
END
  if [[ $new == yes ]]; then
    systemctl daemon-reload
    systemctl enable --now clustergen-slurm-settings.path
    systemctl enable --now clustergen-slurm-settings.timer
  fi
}

watch_slurm_conf
wait_for_slurm_conf
lock=/run/clustergen-slurm-settings.lock
exec 8>"$lock"
flock --wait 900 8 || fail "another run keeps $lock"
main
