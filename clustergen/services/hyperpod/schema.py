"""The schema of CreateCluster, for both HyperPod targets."""

from clustergen.facts.schemas import Schema

SCHEMA = Schema(
    file="hyperpod.json", cloudformation=False, list_keys=("InstanceGroupName", "Key"), quoted=False
)
