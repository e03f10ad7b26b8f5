"""What ``bundle.json`` says of the foundation and its stacks."""

from collections.abc import Iterable, Iterator, Mapping

from clustergen.base.artifacts import Artifact, compact_text, json_artifact
from clustergen.base.patterns import pattern
from clustergen.deployment.model import INLINE_BYTES, STAGE, Losses, Mounts, Role, Source, Stack
from clustergen.plan import storage_kinds
from clustergen.plan.model import Plan, Storage
from clustergen.services.aws import marks
from clustergen.services.foundation import access, deletion, hyperpod, monitoring
from clustergen.services.foundation.parts import Part
from clustergen.services.foundation.template import build, description, document
from clustergen.services.monitoring import stack

_BUCKET = (access.BUCKET, f"{access.BUCKET}Policy")

_IN_ACCOUNT = pattern(r"arn:[^:]+:(?:eks|sagemaker):[^:]*:([0-9]{12}):")
"""Reservations and keys may be those of other accounts, clusters and training plans may not."""


def controller_roles(plan: Plan) -> list[str]:
    """The role of a HyperPod controller that would get the secret, and the one that would lose it.

    The bundle of HyperPod asks the cluster which role its controller has.
    """
    of_slurm = plan.sagemaker and plan.scheduler == "slurm"
    if of_slurm or not hyperpod.reads_secret_alone(plan):
        return []
    return [hyperpod.role_of_machine(plan, "head_node"), hyperpod.EXECUTION_ROLE]


def stacks(plan: Plan) -> Mapping[Role, Stack]:
    """The stacks that a bundle may have deployed, in order of deployment, without templates."""
    mark = marks.of_cluster(plan)
    own = {
        marks.role(plan, what): Stack(plan.stack(what), mark, (text,))
        for what, text in marks.descriptions(plan).items()
    }
    founded = Stack(plan.stack("foundation"), marks.of_foundation(plan), (description(plan),))
    # Also without monitoring: an earlier deployment may have had it.
    watched = Stack(stack.name(plan), mark, stack.descriptions(plan))
    return {"foundation": founded, **own, "monitoring": watched}


def mounts(plan: Plan) -> Mounts:
    """The file systems that the foundation makes, and those that exist."""
    found = tuple(item.mount for item in plan.storage if item.existing)
    return Mounts(tuple(item.mount for item in storage_kinds.created(plan)), found)


def sources(plan: Plan) -> Mapping[str, Source]:
    """Of parameters that every target has."""
    return {stack.PAUSED: Source(paused=True)} if stack.knows_pause(plan) else {}


def losses(plan: Plan) -> Losses:
    """What goes with the cluster, and with the foundation."""
    made = [f"{s.mount} {_fate(s)}" for s in storage_kinds.created(plan)]
    if monitoring.GRAFANA in build(plan).resources:  # the bundle's own can be uploaded again
        made.append("what someone made in Grafana is deleted with its workspace")
    return Losses(tuple(deletion.lines(plan)), tuple(deletion.data(plan)), tuple(made))


def needs_spot_role(plan: Plan) -> bool:
    """Whether EC2 starts Spot instances for the cluster; SageMaker starts its own."""
    return not plan.sagemaker and any(g.capacity.kind == "spot" for g in plan.node_groups)


def billed(plan: Plan, own: Iterable[str]) -> Iterator[str]:
    """What costs money during a pause; ``own`` is what the target adds to network and storage."""
    running = {
        "network": plan.network.new,
        "storage": True,
        "control plane": plan.options.creates_eks,
        "controller" if plan.sagemaker else "head node": plan.head,
        "login nodes": plan.login,
        "system nodes": plan.system,
        "reserved capacity": any(group.reserved for group in plan.node_groups),
    }
    yield from (what for what, there in running.items() if there)
    yield from own


def accounts(plan: Plan) -> list[str]:
    """The accounts of what has to be in the account of the cluster, from its ARNs."""
    given = [*plan.existing.named.values(), *(each.capacity.id for each in plan.node_groups)]
    found = (_IN_ACCOUNT.match(each) for each in given if each)
    return sorted({each[1] for each in found if each})


def _fate(item: Storage) -> str:
    return "stays and continues to cost money" if item.retain else "is deleted with its data"


def overlay_parameters(plan: Plan) -> list[str]:
    """The parameters of the template that the overlay adds."""
    found = plan.overlay.get("Parameters") if plan.overlay else None
    added = found if isinstance(found, Mapping) else {}
    return [str(name) for name, value in added.items() if value is not None]


def stage(plan: Plan) -> Artifact | None:
    """The first stage of a foundation that is too large for one request; otherwise None."""
    whole = build(plan)
    # Without a bucket there is little else in it.
    if access.BUCKET not in whole.resources:
        return None
    if len(compact_text(document(plan, whole)).encode()) <= INLINE_BYTES:
        return None
    resources = {name: whole.resources[name] for name in _BUCKET}
    outputs = {"ScriptsBucketName": whole.outputs["ScriptsBucketName"]}
    return json_artifact(STAGE, document(plan, Part(resources, outputs)))
