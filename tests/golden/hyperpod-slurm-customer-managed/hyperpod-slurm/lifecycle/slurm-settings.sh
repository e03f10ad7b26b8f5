#!/bin/bash
# The settings of Slurm that the spec asks for, on the controller; other nodes get them from it.
# HyperPod writes slurm.conf: ours are in a file that it includes last, as the last value counts.
# What the spec says is text here, with a dollar sign in it or not:
# shellcheck disable=SC2016
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

readonly ETC=/opt/slurm/etc SLURM=/opt/slurm/bin
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

wait_for_slurm_conf() {
  local second
  for ((second = 0; second < 300; second += 5)); do
    if grep -qs SlurmctldHost "$ETC/slurm.conf"; then return; fi
    sleep 5
  done
  fail "$ETC/slurm.conf did not appear"
}

settings() {
  printf '%s\n' '# Written by clustergen.'
  # Nodes get scripts with a relative path from the controller. A prolog of the image's own stays.
  if ! grep -qiE '^[[:space:]]*(Prolog|Epilog)[[:space:]]*=' "$ETC/slurm.conf"; then
    printf '%s\n' Prolog=clustergen-prolog.sh Epilog=clustergen-epilog.sh
  fi
  printf '%s\n' EnforcePartLimits=ALL
}

add_include() {
  if grep -qxF 'include clustergen.conf' "$ETC/slurm.conf"; then return 1; fi
  printf '\n%s\n' 'include clustergen.conf' >>"$ETC/slurm.conf"
}

# Sets keys of the lines that begin with WORD=NAME; they stay at their places.
#   set_keys FILE WORD NAME KEY=VALUE...
set_keys() {
  local file=$1 word=$2 name=$3 text
  shift 3
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
  changed "$file" <<<"$text"
}

# One partition is the default one: the others, that of all nodes included, give it up.
only_default() {
  local name value
  while IFS= read -r name; do
    value=NO
    if [[ $name == "$1" ]]; then value=YES; fi
    if set_keys "$ETC/slurm.conf" PartitionName "$name" "Default=$value"; then different=yes; fi
  done < <(sed -nE 's/^[[:space:]]*PartitionName=([^[:space:]]+).*/\1/Ip' "$ETC/slurm.conf")
}

reconfigure() {
  local attempt
  if ! systemctl is-active --quiet slurmctld.service; then return; fi
  for ((attempt = 1; attempt <= 12; attempt++)); do
    if timeout 60 "$SLURM/scontrol" reconfigure; then return; fi
    sleep 10
  done
  fail "slurmctld does not take the settings; its log says why"
}

# HyperPod may write slurm.conf anew when nodes come and go, and then without what is added here.
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

[Install]
WantedBy=multi-user.target
END
  if [[ $new == yes ]]; then
    systemctl daemon-reload
    systemctl enable --now clustergen-slurm-settings.path
  fi
}

wait_for_slurm_conf
different=no
for script in prolog epilog; do
  if changed "$ETC/clustergen-$script.sh" <"$here/$script.sh"; then different=yes; fi
  chmod 0755 "$ETC/clustergen-$script.sh"
done
settings | changed "$ETC/clustergen.conf" && different=yes
set_keys "$ETC/slurm.conf" PartitionName train MaxTime=2-00:00:00 && different=yes
only_default train
add_include && different=yes
if [[ $different == yes ]]; then reconfigure; fi
watch_slurm_conf
