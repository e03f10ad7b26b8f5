#!/bin/bash
# Runs before a job on a node; fails if the node has lost an accelerator. The environment is empty.
set -uo pipefail
export PATH=/opt/slurm/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

refuse() {
  timeout --kill-after=2 20 scontrol update "nodename=${SLURMD_NODENAME:-$(hostname --short)}" state=drain "reason=prolog: $1"
  exit 1
}

# The DCGM exporter reads the job of each GPU here.
map_job() {
  local folder gpu
  for folder in /run/slurm/dcgm_job_mapping /run/slurm/dcgm-job-mapping /run/clustergen/gpu-jobs; do
    [[ -d $folder ]] || continue
    for gpu in ${SLURM_JOB_GPUS//,/ }; do
      printf '%s\n' "$SLURM_JOB_ID" >"$folder/$gpu" || true
    done
  done
}

# Written at boot; before that, there is nothing to compare with.
if read -r kind expected 2>/dev/null </etc/clustergen/accelerators && [[ $kind == gpu ]]; then
  found=$(timeout --kill-after=2 8 nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU ')
  [[ $found == "$expected" ]] || refuse "$expected GPUs expected, $found found"
fi
if [[ -n ${SLURM_JOB_GPUS:-} ]]; then map_job; fi
exit 0
