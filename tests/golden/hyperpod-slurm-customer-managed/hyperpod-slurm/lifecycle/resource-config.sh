#!/bin/bash
# Reads HyperPod's file about the nodes of the cluster.
#   resource-config.sh group              the instance group of this node, found by its addresses
#   resource-config.sh controllers COUNT  the addresses of the controllers, one on each line, in the
#                                         order in which they take over
#   resource-config.sh cluster            the id of the cluster
# Running daemons do not identify the role: they may not have started yet.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

readonly CONFIG=${SAGEMAKER_RESOURCE_CONFIG_PATH:-/opt/ml/config/resource_config.json}
readonly ATTEMPTS=24 PAUSE=5

# read_config group ADDRESS... | controllers COUNT | cluster
read_config() {
  python3 - "$CONFIG" "$@" <<'END'
import json
import sys

path, wanted, *words = sys.argv[1:]
with open(path, encoding="utf-8") as stream:
    config = json.load(stream)
# Instances are null while a group is being created.
nodes = [
    (group["Name"], instance.get("CustomerIpAddress"))
    for group in config.get("InstanceGroups") or []
    for instance in group.get("Instances") or []
    if instance
]
found = []
if wanted == "group":
    found = [group for group, address in nodes if address and address in words][:1]
elif wanted == "cluster":
    found = [config["ClusterConfig"]["ClusterArn"].rpartition("/")[2]]
else:
    there = [address for group, address in nodes if address and group == "controller"]
    slurm = config.get("SlurmConfig") or {}
    named = [slurm.get("PrimaryControllerIp"), *(slurm.get("SecondaryControllerIps") or [])]
    # A replaced controller may still be listed.
    every = list(dict.fromkeys([*(address for address in named if address in there), *there]))
    found = every if len(every) >= int(words[0]) else []
print("\n".join(found))
sys.exit(0 if found else 1)
END
}

main() {
  local -a question=("$@")
  local attempt
  for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
    if [[ $1 == group ]]; then
      read -ra question <<<"group $(hostname --all-ip-addresses)"
    fi
    if read_config "${question[@]}"; then return; fi
    # The file is rewritten while nodes join.
    sleep "$PAUSE"
  done
  fail "$CONFIG has no entry for: ${question[*]}"
}

main "$@"
