"""How both HyperPod targets support a feature.

A source without https:// is a page of the SageMaker developer guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Level, Support
from clustergen.hyperpod.limits import CREATE_CLUSTER, GUIDE, INSTANCE_GROUP


def support(level: Level, how: str, page: str) -> Support:
    """A row of the table; ``page`` is an address, or the name of a page of the guide."""
    return Support(level, how, page if page.startswith("https://") else f"{GUIDE}{page}.html")


VOLUMES_END = (
    "the volumes of HyperPod end with their nodes; remove on_delete, and keep what has to stay on "
    "shared storage"
)
MINIMUM = (
    "MinInstanceCount: the group is in service with min nodes, and HyperPod starts the others as "
    "soon as it can; it does not scale with the load"
)

SHARED: Mapping[str, Support] = MappingProxyType(
    {
        "capacity.on-demand": support("full", "InstanceCount of the group", INSTANCE_GROUP),
        "capacity.reservation": support(
            "none",
            "HyperPod cannot use EC2 reservations; write {training_plan: arn...}",
            INSTANCE_GROUP,
        ),
        "capacity.reservation-group": support(
            "none",
            "HyperPod cannot use EC2 reservations; write {training_plan: arn...}",
            INSTANCE_GROUP,
        ),
        "capacity.block": support(
            "none",
            "HyperPod cannot use Capacity Blocks; write {training_plan: arn...}",
            INSTANCE_GROUP,
        ),
        "capacity.training-plan": support(
            "full", "TrainingPlanArn of the group", "reserve-capacity-with-training-plans"
        ),
        "instances.trainium": support("full", "InstanceType, trn1 and trn2", INSTANCE_GROUP),
        "instances.inferentia": support(
            "none",
            "HyperPod does not support Inferentia; use Trainium",
            INSTANCE_GROUP,
        ),
        "instances.hpc": support(
            "none",
            "HyperPod does not support HPC instances; use C or M instance types",
            INSTANCE_GROUP,
        ),
        "instances.several-types": support(
            "full", "InstanceRequirements, in order of priority", INSTANCE_GROUP
        ),
        "instances.mixed-architecture": support(
            "full", "the image for the architecture of each group", INSTANCE_GROUP
        ),
        "network.efa-layout": support("full", "NetworkInterface.InterfaceType", INSTANCE_GROUP),
        "placement.existing": support(
            "none",
            "HyperPod places nodes itself; remove placement",
            INSTANCE_GROUP,
        ),
        "nodes.smt": support("full", "ThreadsPerCore: 2", INSTANCE_GROUP),
        "nodes.image": support(
            "full", "ImageId: an unencrypted image in the same account", INSTANCE_GROUP
        ),
        "nodes.role": support("full", "ExecutionRole of the group", INSTANCE_GROUP),
        "nodes.unencrypted": support(
            "none", "HyperPod encrypts its volumes; remove encrypted", INSTANCE_GROUP
        ),
        "nodes.volume-key": support(
            "full", "VolumeKmsKeyId of the root volume and of the second one", "smcluster-cmk"
        ),
        "nodes.volume-kept": support("none", VOLUMES_END, INSTANCE_GROUP),
        "nodes.tags": support(
            "none",
            "HyperPod tags a cluster, and no groups of it; write tags of the cluster, or labels",
            INSTANCE_GROUP,
        ),
        "software.scripts-failure": support(
            "full",
            "a script that fails ends the lifecycle run, or is only logged",
            "sagemaker-hyperpod-lifecycle-best-practices-slurm",
        ),
        "nodes.subnets": support("full", "OverrideVpcConfig of the group", INSTANCE_GROUP),
        "nodes.zone": support(
            "full", "a subnet of the foundation; OverrideVpcConfig of the group", INSTANCE_GROUP
        ),
        "nodes.security-groups": support("full", "OverrideVpcConfig of the group", INSTANCE_GROUP),
        "nodes.instance-profile": support(
            "none", "the instances of a group have a role; write iam.role", INSTANCE_GROUP
        ),
        "nodes.iam": support(
            "full", "a role of the foundation for the group, its ExecutionRole", INSTANCE_GROUP
        ),
        "nodes.desired": support(
            "none",
            "HyperPod starts all nodes of a group, and is in service with min; remove desired",
            INSTANCE_GROUP,
        ),
        "nodes.allocation": support(
            "none",
            "HyperPod tries instance_types in their order; remove allocation",
            INSTANCE_GROUP,
        ),
        "nodes.ssh-sources": support(
            "none",
            "all login nodes have one security group; write network.ssh_from",
            INSTANCE_GROUP,
        ),
        "resilience.replace": support("full", "NodeRecovery: Automatic or None", CREATE_CLUSTER),
    }
)
"""Support by feature id, for features that do not depend on the orchestrator."""
