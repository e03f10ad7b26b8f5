#!/bin/bash
# Cleans up after a job. It never fails, because that would drain the node.
set -uo pipefail
export PATH=/opt/slurm/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# No other job uses the GPUs of this one.
end_gpu_processes() {
  local process
  for process in $(timeout --kill-after=2 8 nvidia-smi --query-compute-apps=pid --format=csv,noheader \
    "--id=$SLURM_JOB_GPUS" 2>/dev/null); do
    if [[ $process =~ ^[0-9]+$ ]]; then kill -KILL "$process" 2>/dev/null; fi
  done
}

unmap_job() {
  local folder gpu
  for folder in /run/slurm/dcgm_job_mapping /run/slurm/dcgm-job-mapping /run/clustergen/gpu-jobs; do
    for gpu in ${SLURM_JOB_GPUS//,/ }; do
      rm -f "$folder/$gpu"
    done
  done
}

if [[ -n ${SLURM_JOB_GPUS:-} ]]; then
  end_gpu_processes
  unmap_job
fi
# Shared memory that no process uses.
if [[ ${SLURM_JOB_UID:-0} -ge 1000 ]] && ! pgrep -u "$SLURM_JOB_UID" >/dev/null; then
  find /dev/shm -mindepth 1 -maxdepth 1 -user "$SLURM_JOB_UID" -exec rm -rf {} +
fi
exit 0
