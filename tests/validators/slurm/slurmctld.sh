#!/bin/bash
# Starts slurmctld or slurmdbd of a root file system once for each case, and prints what it does.
# Run inside `unshare --mount --net --uts --ipc --pid --fork --mount-proc`, as root.
#   slurmctld.sh ROOT CASES
# A line of CASES: scope, a tab, and a setting KEY=VALUE. A line of output: "starts" or "refused".
set -u

readonly root=$1 cases=$2 work=/run/slurm-verdicts
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p "$work"/{upper,work,merged}
mount -t overlay overlay -o "lowerdir=$root,upperdir=$work/upper,workdir=$work/work" "$work/merged"
readonly merged=$work/merged
mount -t proc proc "$merged/proc"
mount --rbind /dev "$merged/dev"
mkdir -p "$merged"/{run/munge,etc/slurm,var/spool/slurmctld,var/log/slurm}
hostname controller
ip link set lo up
ip link add eth0 type veth peer name eth1
ip link set eth1 up
ip address add 10.255.0.1/16 dev eth0
ip link set eth0 up
printf '127.0.0.1 localhost\n10.255.0.1 controller\n10.255.0.2 n1\n' >"$merged/etc/hosts"
printf 'hosts: files\npasswd: files\ngroup: files\nshadow: files\n' >"$merged/etc/nsswitch.conf"

inside() { chroot "$merged" "$@"; }

head --bytes 1024 /dev/urandom >"$merged/etc/munge/munge.key"
inside install -d -o munge -g munge -m 700 /etc/munge /var/log/munge /var/lib/munge
inside install -d -o munge -g munge -m 755 /run/munge
inside chown munge: /etc/munge/munge.key
inside chmod 400 /etc/munge/munge.key
inside setpriv --reuid munge --regid munge --clear-groups /usr/sbin/munged >/dev/null 2>&1
inside chown -R slurm: /var/spool/slurmctld /var/log/slurm

# Lines of the input that do not set the key of "$1", and words of a node's line.
without() {
  sed -E -e "/^${1%%=*}=/Id" -e "s/(NodeName=n1.*) ${1%%=*}=[^ ]+ /\\1 /I"
}

configure() {
  local cluster='' node='' partition='' cgroup=''
  case $1 in
    cluster) cluster=${2//;/$'\n'} ;;
    node) node=$2 ;;
    partition) partition=$2 ;;
    cgroup) cgroup=$2 ;;
  esac
  # A key that is there twice is an error of its own.
  without "$2" <<END >"$merged/etc/slurm/slurm.conf"
ClusterName=x
SlurmctldHost=controller
SlurmUser=slurm
AuthType=auth/munge
StateSaveLocation=/var/spool/slurmctld
SlurmctldPidFile=/run/slurmctld.pid
SlurmctldLogFile=/var/log/slurm/slurmctld.log
GresTypes=gpu
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
TaskPlugin=task/none
NodeName=n1 CPUs=4 RealMemory=1000 Gres=gpu:h100:8 $node
PartitionName=train Nodes=n1 $partition
END
  printf '%s\n' "$cluster" >>"$merged/etc/slurm/slurm.conf"
  {
    printf 'CgroupPlugin=disabled\n' | without "$2"
    printf '%s\n' "$cgroup"
  } >"$merged/etc/slurm/cgroup.conf"
  : >"$merged/etc/slurm/gres.conf"
}

controller() {
  local try up=no out=$work/out
  configure "$1" "$2"
  rm -f "$merged"/var/spool/slurmctld/*
  : >"$out"
  if inside timeout 20 slurmctld -i >"$out" 2>&1; then
    for ((try = 0, SECONDS = 0; SECONDS < 8; try++)); do
      if inside timeout 3 scontrol ping 2>/dev/null | grep -q UP; then
        up=yes
        break
      fi
      if ! pgrep -x slurmctld >/dev/null && ((try > 4)); then break; fi
      sleep 0.1
    done
  fi
  pkill -9 -x slurmctld || true
  while pgrep -x slurmctld >/dev/null; do sleep 0.05; done
  rm -f "$merged/run/slurmctld.pid"
  if [[ $up == no ]]; then
    printf 'refused'
  else
    printf 'starts'
  fi
  printf '\n'
}

# Reading slurmdbd.conf comes before reaching the database, which is not there.
database() {
  printf 'DbdHost=controller\nSlurmUser=slurm\nAuthType=auth/munge\nStorageType=accounting_storage/mysql\n%s\n' \
    "$1" >"$merged/etc/slurm/slurmdbd.conf"
  inside chown slurm: /etc/slurm/slurmdbd.conf
  inside chmod 600 /etc/slurm/slurmdbd.conf
  inside timeout -s KILL 2 slurmdbd -D -vv >"$work/out" 2>&1 || true
  if grep -qE 'Parsing error|fatal' "$work/out"; then
    printf 'refused'
  else
    printf 'starts'
  fi
  printf '\n'
}

while IFS=$'\t' read -r scope setting; do
  if [[ $scope == slurmdbd ]]; then database "$setting" </dev/null; else controller "$scope" "$setting" </dev/null; fi
done <"$cases"
