"""What PCS and EKS do to the nodes of a changed node group, and to a changed cluster."""

from collections.abc import Collection, Iterator, Sequence

from clustergen.base.artifacts import Json
from clustergen.base.patterns import pattern
from clustergen.bundle.effects import retention
from clustergen.bundle.effects.change import Change
from clustergen.bundle.effects.model import Effect
from clustergen.deployment import resource_types
from clustergen.services.fields import value_at

_PCS = "https://docs.aws.amazon.com/pcs/latest/userguide/"
_LOGIN = "login"
"""The name of the group of login nodes: they run no jobs that PCS could wait for."""
_BATCH_QUEUE = "https://docs.aws.amazon.com/batch/latest/APIReference/API_UpdateJobQueue.html"
_PCS_UPDATE = f"{_PCS}working-with_cng_update.html"
_PCS_VERSION = f"{_PCS}working-with_clusters_version_update.html"
_BATCH_UPDATE = "https://docs.aws.amazon.com/batch/latest/userguide/infrastructure-updates.html"
_EKS = "https://docs.aws.amazon.com/eks/latest/userguide/"
_EKS_UPDATE = f"{_EKS}update-managed-node-group.html"
_EKS_BLOCK = f"{_EKS}capacity-blocks-mng.html"
_EKS_VERSION = f"{_EKS}update-cluster.html"

_OF_NEW_PCS_NODES = {
    "SubnetIds": "starts only new nodes of {} in other subnets",
    "SpotOptions": "chooses only new nodes of {} in another way (SpotOptions changes)",
}
"""Properties by which PCS launches instances."""
PROFILE = "nvidia.com/mig.config"
"""The label by which NVIDIA's MIG manager knows the profile of a node."""
_MIG = "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-mig.html"
_MINOR = pattern(r"1\.(\d+)")


def pcs(change: Change) -> Iterator[Effect]:
    name, cause = change.name, _first(change.paths, resource_types.NODES[change.type])
    yield from _fewer(change, "ScalingConfiguration.MaxInstanceCount", _PCS_UPDATE)
    if cause:
        text = f"replaces the nodes of {name} once they are idle ({cause} changes)"
        if is_login(change.properties):
            text = f"replaces login nodes at once, with the sessions on them ({cause} changes)"
        sizes = value_at(change.earlier, "ScalingConfiguration") or {}
        text += f": {number(sizes.get('MinInstanceCount'), sizes.get('MaxInstanceCount'))}"
        yield Effect("replaces-nodes", name, cause, text, _PCS_UPDATE, ends="nodes")
    elif late := _first(change.paths, _OF_NEW_PCS_NODES):
        text = _OF_NEW_PCS_NODES[late.partition(".")[0]].format(name)
        yield Effect("new-nodes-only", name, late, text, _PCS_UPDATE)


def is_login(properties: Json) -> bool:
    """Whether a group of PCS has the login nodes."""
    return bool(properties.get("Name") == _LOGIN)


def fewer_login_nodes(name: str, path: str, before: int, after: int, source: str = "") -> Effect:
    text = f"terminates {before - after} of {before} login nodes, with the sessions on them"
    return Effect("ends-sessions", name, path, f"{text} ({path} changes)", source)


def number(least: object, most: object) -> str:
    """How many nodes there are, in words."""
    return f"{most}" if least == most else f"up to {most}"


def _first(paths: Sequence[str], known: Collection[str]) -> str | None:
    return next((path for path in paths if path.partition(".")[0] in known), None)


def _fewer(change: Change, path: str, source: str) -> Iterator[Effect]:
    name, (before, after) = change.name, change.both(path)
    if not isinstance(before, int) or not isinstance(after, int) or after >= before:
        return
    if is_login(change.properties):
        yield fewer_login_nodes(name, path, before, after, source)
    else:
        text = (
            f"terminates the nodes of {name} beyond {after}, with the jobs on them "
            f"({path.rpartition('.')[2]} was {before})"
        )
        yield Effect("removes-nodes", name, path, text, source)


def batch(change: Change) -> Iterator[Effect]:
    """What AWS Batch does to the instances of a compute environment: an infrastructure update."""
    paths = (path for path in change.paths if path.startswith("ComputeResources."))
    cause = next((path for path in paths if not path.endswith("vCpus")), None)
    if cause:
        minutes = value_at(change.properties, "UpdatePolicy.JobExecutionTimeoutMinutes") or 30
        text = (
            f"replaces the instances of {change.name} ({cause} changes): jobs that run for more "
            f"than {minutes} minutes more are terminated"
        )
        yield Effect("replaces-nodes", change.name, cause, text, _BATCH_UPDATE, ends="nodes")


def job_queue(change: Change) -> Iterator[Effect]:
    """What AWS Batch does with the scheduling policy of a queue."""
    path = "SchedulingPolicyArn"
    if (path in change.earlier) != (path in change.properties):
        text = (
            f"is refused: Batch neither gives {change.name} fair shares nor takes them away; "
            "rename the queue"
        )
        yield Effect("refused", change.name, path, text, _BATCH_QUEUE)


def pcs_cluster(change: Change) -> Iterator[Effect]:
    """What PCS does to nodes when the version of Slurm changes."""
    name, (before, after) = change.name, map(str, change.both("Scheduler.Version"))
    yield from retention.records(change)
    if before == after:
        return
    if _numbers(after) < _numbers(before):
        text = f"is refused: Slurm of {name} cannot go back from {before} to {after}"
        yield Effect("refused", name, "Scheduler.Version", text, _PCS_VERSION)
        return
    text = (
        f"updates Slurm of {name} from {before} to {after}: the controller is away for some "
        "minutes, and nodes are replaced once they are idle"
    )
    yield Effect("replaces-nodes", name, "Scheduler.Version", text, _PCS_VERSION)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


def eks(change: Change) -> Iterator[Effect]:
    """What EKS does to the nodes of a managed group."""
    name, cause = change.name, _first(change.paths, resource_types.NODES[change.type])
    yield from _fewer(change, "ScalingConfig.MaxSize", _EKS_UPDATE)
    if cause and change.properties.get("CapacityType") == "CAPACITY_BLOCK":
        text = (
            f"needs {name} scaled to 0 nodes first ({cause} changes): EKS cannot replace the nodes "
            "of a Capacity Block"
        )
        yield Effect("needs-stop", name, cause, text, _EKS_BLOCK)
    elif cause:
        text = f"replaces the nodes of {name} ({cause} changes): EKS evicts the pods on them first"
        yield Effect("replaces-nodes", name, cause, text, _EKS_UPDATE, ends="nodes")
    elif f"Labels.{PROFILE}" in change.paths:
        yield repartitioned(name, f"Labels.{PROFILE}")


def repartitioned(name: str, cause: str) -> Effect:
    """The effect of another MIG profile of the nodes of a group."""
    text = f"repartitions the GPUs of {name} ({cause} changes): no pod can use them meanwhile"
    return Effect("replaces-nodes", name, cause, text, _MIG)


def eks_cluster(change: Change) -> Iterator[Effect]:
    """Whether EKS accepts a change of the Kubernetes version."""
    name, found = change.name, [_MINOR.fullmatch(str(each)) for each in change.both("Version")]
    minors = [int(match[1]) for match in found if match]
    if len(minors) < 2 or minors[0] == minors[1]:
        return
    before, after = minors
    if after == before + 1:
        text = f"updates the control plane of {name} from 1.{before} to 1.{after}"
        yield Effect("in-place", name, "Version", text, _EKS_VERSION)
        return
    text = f"is refused: Kubernetes of {name} cannot go back from 1.{before} to 1.{after}"
    if after > before:
        steps = ", ".join(f"1.{minor}" for minor in range(before + 1, after + 1))
        text = f"is refused: Kubernetes of {name} updates by one minor version; deploy {steps}"
    yield Effect("refused", name, "Version", text, _EKS_VERSION)
