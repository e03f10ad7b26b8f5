"""Karpenter: node groups that it scales, instead of managed node groups."""

from collections.abc import Iterable, Iterator, Sequence

from clustergen.base.artifacts import Json
from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import NodeGroup, Plan, Taint
from clustergen.services.aws import cfn, launch_templates, references
from clustergen.services.kubernetes import disks, labels_and_taints, pruning
from clustergen.services.kubernetes.manifest import kubernetes_object
from clustergen.services.kubernetes.names import GPU_RESOURCE, INSTANCE_TYPE_LABEL, NEURON_RESOURCE

NAMESPACE = "kube-system"
SERVICE_ACCOUNT = "karpenter"
API = "karpenter.sh/v1"
AWS_GROUP = "karpenter.k8s.aws"
AWS_API = f"{AWS_GROUP}/v1"

# Outputs of the cluster's stack, as placeholders.
NODE_ROLE = "${KarpenterNodeRoleName}"
QUEUE = "${KarpenterQueueName}"
SECURITY_GROUP = "${EksSecurityGroupId}"


def is_on(plan: Plan) -> bool:
    """Whether the cluster has Karpenter."""
    return plan.kubernetes.autoscaler == "karpenter"


def is_karpenter(plan: Plan, group: NodeGroup) -> bool:
    """Whether Karpenter scales the group."""
    return is_on(plan) and not group.static


def groups(plan: Plan) -> tuple[NodeGroup, ...]:
    """The groups that Karpenter scales."""
    return tuple(group for group in plan.node_groups if is_karpenter(plan, group))


def without_minimum(groups: Iterable[NodeGroup]) -> Iterator[Problem]:
    """Of groups that Karpenter scales, those with nodes that always run."""
    for group in groups:
        if group.min:
            yield Problem(
                group.at("count"),
                f"Karpenter keeps no minimum of nodes, and {group.name} has {group.min}",
                help=f"write {{min: 0, max: {group.max}}}, and a second group with "
                f"count: {group.min}",
                fix=unsafe(put(group.at("count"), {"min": 0, "max": group.max})),
            )


def with_partitions(groups: Iterable[NodeGroup]) -> Iterator[Problem]:
    """Of groups that Karpenter scales, those whose GPUs are partitioned: pods ask for partitions,
    which Karpenter expects of no instance type."""
    for group in groups:
        if group.mig:
            yield Problem(
                group.at("mig"),
                f"a pod that asks for a part of a GPU starts no node of {group.name}",
                help=f"write count: {group.max}",
                fix=unsafe(put(group.at("count"), group.max)),
            )


def end_nodes(plan: Plan) -> str:
    """Ends the nodes of the bundle's pools while Karpenter runs. A pool may be gone before.

    With a kubeconfig of its own: the current context may be that of another cluster.

    https://karpenter.sh/docs/concepts/disruption/#manual-methods (1.14, 2026-08)
    """
    name = plan.kubernetes_name
    file = f"--kubeconfig {name}.kubeconfig"
    own = f"{pruning.LABEL}={pruning.owner(plan)}"
    pools = ", ".join(group.name for group in groups(plan))
    return (
        f"aws eks update-kubeconfig --region {plan.region} --name {name} --alias {name} {file} && "
        f"kubectl {file} delete nodepools --selector {own} --cascade=foreground --timeout 30m && "
        f"kubectl {file} delete nodeclaims --selector 'karpenter.sh/nodepool in ({pools})' "
        f"--timeout 30m && kubectl {file} delete ec2nodeclasses --selector {own} --timeout 30m"
    )


def objects(plan: Plan) -> Iterator[Json]:
    """A node class and a node pool for each group.

    https://karpenter.sh/docs/concepts/ (1.14, 2026-08)
    """
    for rank, group in enumerate(groups(plan)):
        yield _node_class(plan, group)
        yield _node_pool(group, weight=max(100 - rank, 1))


def _node_class(plan: Plan, group: NodeGroup) -> Json:
    own = [references.text(id) for id in plan.security_groups_of(group)]
    data = launch_templates.instance_options(plan, hops=1)
    metadata = {
        name[:1].lower() + name[1:]: value for name, value in data["MetadataOptions"].items()
    }
    del metadata["httpEndpoint"]
    joins = group.placement.kind == "existing"
    local_disks = all(type.disk_count for type in group.types)
    spec: Json = {
        "amiSelectorTerms": [{"id": group.image} if group.image else {"alias": "al2023@latest"}],
        **({"amiFamily": "AL2023"} if group.image else {}),
        **_identity(plan, group),
        "subnetSelectorTerms": [{"id": references.text(s.id)} for s in plan.subnets_of(group)],
        # The cluster security group allows traffic of the control plane and EFA.
        "securityGroupSelectorTerms": [{"id": id} for id in (SECURITY_GROUP, *own)],
        **_interfaces(group),
        **_reservation(group),
        **({"placementGroupSelector": {"name": group.placement.group}} if joins else {}),
        "blockDeviceMappings": [_root(group)],
        **({"instanceStorePolicy": "RAID0"} if local_disks else {}),
        "metadataOptions": metadata,
        **({"detailedMonitoring": True} if "Monitoring" in data else {}),
        "tags": {**plan.tags, "Name": f"{plan.name}-{group.name}", **group.tags},
    }
    return kubernetes_object(AWS_API, "EC2NodeClass", group.object_name, spec=spec)


def role_output(group: NodeGroup) -> str:
    """The output of the cluster's stack with the name of a group's own role."""
    return f"{cfn.logical_id('karpenter-node-role', group.name)}Name"


NODE_PROFILE = "KarpenterInstanceProfileName"
"""The output with the instance profile of the role that groups share."""


def profile_output(group: NodeGroup) -> str:
    """The output with the instance profile of a group's nodes, in a closed network."""
    if not (group.iam.role or group.iam.adds):
        return NODE_PROFILE
    return role_output(group).replace("Role", "InstanceProfile")


def _identity(plan: Plan, group: NodeGroup) -> Json:
    """A role, for which Karpenter makes a profile, or a profile, where it does not reach IAM."""
    if plan.network.closed:
        return {"instanceProfile": f"${{{profile_output(group)}}}"}
    return {"role": _role(group)}


def _role(group: NodeGroup) -> str:
    """The name of the role, which is the end of its ARN."""
    if group.iam.role:
        return group.iam.role.rpartition("/")[2]
    return f"${{{role_output(group)}}}" if group.iam.adds else NODE_ROLE


def _interfaces(group: NodeGroup) -> Json:
    """All interfaces; otherwise nodes get EFA only for pods that request it, in the older form."""
    if len(group.interfaces) == 1:
        return {}
    return {
        "networkInterfaces": [
            {
                "networkCardIndex": interface.card,
                "deviceIndex": interface.device,
                "interfaceType": interface.type,
            }
            for interface in group.interfaces
        ]
    }


def _reservation(group: NodeGroup) -> Json:
    """The reservation; Karpenter uses only listed reservations, even if they are open."""
    if group.capacity.kind not in ("reservation", "capacity-block"):
        return {}
    return {"capacityReservationSelectorTerms": [{"id": group.capacity.id}]}


def _root(group: NodeGroup) -> Json:
    volume = group.volume
    ebs: Json = {
        "volumeSize": f"{disks.root_gib(volume)}Gi",
        "volumeType": volume.type,
        "encrypted": volume.encrypted,
        "deleteOnTermination": not volume.retain,
        **({"kmsKeyID": volume.kms_key} if volume.kms_key else {}),
        **({"iops": volume.iops} if volume.iops else {}),
        **({"throughput": volume.throughput} if volume.throughput else {}),
    }
    return {"deviceName": "/dev/xvda", "rootVolume": True, "ebs": ebs}


def _node_pool(group: NodeGroup, *, weight: int) -> Json:
    template: Json = {
        "metadata": {
            "labels": {
                **labels_and_taints.labels(group),
                labels_and_taints.NODE_GROUP_LABEL: group.name,
            }
        },
        "spec": {
            "nodeClassRef": {"group": AWS_GROUP, "kind": "EC2NodeClass", "name": group.object_name},
            # Replacing a node because of its age would end a training job.
            "expireAfter": "Never",
            "requirements": [
                _in(INSTANCE_TYPE_LABEL, [type.name for type in group.types]),
                _in("karpenter.sh/capacity-type", [_capacity_type(group)]),
            ],
            **pool_taints(labels_and_taints.taints(group)),
        },
    }
    spec = {
        "template": template,
        "limits": _limits(group),
        "disruption": _disruption(group),
        # The groups of the spec, in order.
        "weight": weight,
    }
    return kubernetes_object(API, "NodePool", group.object_name, spec=spec)


def _disruption(group: NodeGroup) -> Json:
    """Remove nodes only when they are empty, never during a job to save cost or renew them.

    Keep the nodes of reservations: they are paid for anyway, and EC2 may lack capacity later.
    """
    return {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": "Never" if group.reserved else "10m",
        "budgets": [
            {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
            {"nodes": "100%", "reasons": ["Empty"]},
        ],
    }


def _capacity_type(group: NodeGroup) -> str:
    kinds = {"spot": "spot", "reservation": "reserved", "capacity-block": "reserved"}
    return kinds.get(group.capacity.kind, "on-demand")


def _limits(group: NodeGroup) -> dict[str, str]:
    """The resources of the group's maximum number of nodes: pools limit resources, not nodes."""
    most = {
        "cpu": max(type.vcpus for type in group.types),
        GPU_RESOURCE: max(type.gpus for type in group.types),
        NEURON_RESOURCE: max(type.neuron_devices for type in group.types),
    }
    return {name: str(amount * group.max) for name, amount in most.items() if amount}


def cpu_limits(plan: Plan) -> dict[str, str]:
    """Node pool -> its CPU limit, which a pause sets to zero."""
    return {group.object_name: _limits(group)["cpu"] for group in groups(plan)}


def pool_taints(taints: Sequence[Taint]) -> Json:
    """The taints of a pool's nodes, as a member of its template."""
    return {"taints": [_taint(taint) for taint in taints]} if taints else {}


def _taint(taint: Taint) -> Json:
    value = {"value": taint.value} if taint.value else {}
    return {"key": taint.key, **value, "effect": taint.effect}


def _in(key: str, values: list[str]) -> Json:
    return {"key": key, "operator": "In", "values": values}
