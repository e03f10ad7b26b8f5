"""What goes with a cluster, and how to save it first.

The README says it, and ``deploy.sh`` once more before it deletes anything.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from clustergen.base.text_lists import words
from clustergen.deployment import resource_types
from clustergen.plan.model import Ebs, Plan, Storage
from clustergen.services.aws import mounts

_DATA: Final = frozenset({*resource_types.STORES, "AWS::CloudFormation::Stack", "AWS::S3::Bucket"})
"""Of nested stacks, a template does not say what is in them."""
_STAYS: Final = ("Retain", "RetainExceptOnCreate", "Snapshot")


def data(plan: Plan) -> list[str]:
    """The mounts of the cluster's own file systems, and resources with data in its stack."""
    mounts = [each.mount for each in plan.storage if _ends(each)]
    return mounts + [
        name
        for name, resource in _added(plan)
        if resource.get("Type") in _DATA and resource.get("DeletionPolicy") not in _STAYS
    ]


class Loss(NamedTuple):
    """Something that goes."""

    what: str
    why: str
    save: str = ""
    """The command that saves it; empty where there is none."""
    types: tuple[str, ...] = ()
    """The resources of templates that it goes with."""


SACCT: Final = (
    # Without a beginning, sacct shows the jobs of today: https://slurm.schedmd.com/sacct.html
    'sudo "$(which sacct)" --allusers --duplicates --starttime=1970-01-01 --format=ALL --parsable2'
)
"""Prints all records of jobs."""
_NODES: Final = words("""
    AWS::PCS::ComputeNodeGroup AWS::EKS::Nodegroup AWS::Batch::ComputeEnvironment
""")
_CLUSTERS: Final = words("AWS::PCS::Cluster AWS::SageMaker::Cluster AWS::Batch::JobQueue")


def losses(plan: Plan) -> list[Loss]:
    """What goes with the cluster, or with the nodes that the bundle adds to one."""
    jobs = Loss("running and pending jobs", "their queues and nodes go", types=_CLUSTERS)
    if not plan.creates_cluster and plan.sagemaker:
        jobs = Loss("running jobs on these nodes", "the nodes go")
    found = [jobs, *_homes(plan), *_records(plan), *_objects(plan), _local(plan)]
    found += [Loss("the network of its stack", "the stack has it")] if _has_network(plan) else []
    found += [Loss(f"{name} with all data", "it is the cluster's own") for name in data(plan)]
    return found + [
        Loss(item.mount, "only a snapshot of it stays")
        for item in plan.storage
        if isinstance(item, Ebs) and item.ends_as_snapshot and not item.existing
    ]


def _homes(plan: Plan) -> Iterator[Loss]:
    """Home directories that are on no file system that stays."""
    if plan.scheduler != "slurm" or not plan.creates_cluster or homes_stay(plan):
        return
    node = "the head node" if mounts.exports_homes(plan) else "the nodes"
    save = f"sudo tar --create --gzip --file={plan.name}-homes.tar.gz /home"
    yield Loss("home directories", f"they are on the root volume of {node}", save)


def homes_stay(plan: Plan) -> bool:
    """Whether home directories outlive the nodes; a mount at /home has a line of its own."""
    if any(item.mount.rstrip("/") == mounts.LOCAL_HOMES for item in plan.storage):
        return True
    if mounts.exports_homes(plan):
        return bool(plan.head and plan.head.volume.retain)
    return mounts.homes(plan)[1]


def homes(plan: Plan) -> str:
    """The folder of the home directories of a Slurm cluster."""
    return mounts.LOCAL_HOMES if mounts.exports_homes(plan) else mounts.homes(plan)[0]


def _records(plan: Plan) -> Iterator[Loss]:
    """What Slurm knows of jobs, unless it is in a database of the user."""
    if plan.slurm.accounting != "managed" or plan.scheduler != "slurm" or not plan.creates_cluster:
        return
    # https://docs.aws.amazon.com/pcs/latest/APIReference/API_UpdateAccountingRequest.html (2026-11)
    where = "a database on the controller" if plan.sagemaker else "the cluster itself"
    save = f"{SACCT} > {plan.name}-jobs.txt"
    yield Loss("job records", f"{where} has them", save, ("AWS::PCS::Cluster",))
    save = f'sudo "$(which sacctmgr)" --parsable2 show associations > {plan.name}-accounts.txt'
    what = "Slurm accounts, limits and qualities of service that someone added by hand"
    yield Loss(what, f"{where} has them", save)


def _objects(plan: Plan) -> Iterator[Loss]:
    if plan.scheduler == "batch":
        queue = f"--region {plan.region} --job-queue QUEUE --job-status SUCCEEDED"
        # https://docs.aws.amazon.com/batch/latest/APIReference/API_ListJobs.html (2026-11)
        save = f"aws batch list-jobs {queue}"
        yield Loss("the lists of jobs", "Batch has one of each queue", save)
    elif plan.options.creates_eks:
        kinds = "configmaps,cronjobs,deployments,jobs,persistentvolumeclaims,services,statefulsets"
        kinds += ",serviceaccounts,roles,rolebindings"
        save = f"kubectl get {kinds} --all-namespaces --output yaml > {plan.name}-objects.yaml"
        what = "what users have made in Kubernetes"
        why = "the EKS cluster has it (the command does not save Secrets)"
        yield Loss(what, why, save, ("AWS::EKS::Cluster", "AWS::KMS::Key"))


def _local(plan: Plan) -> Loss:
    scratch = dict.fromkeys(group.scratch for group in plan.node_groups if group.scratch)
    disks = f" and local disks ({', '.join(scratch)})" if scratch else " and local disks"
    return Loss(f"what is on root volumes{disks} of nodes", "they go with the nodes", types=_NODES)


def lines(plan: Plan) -> list[str]:
    """A line for each loss, with the command that prevents it."""
    return [
        f"{loss.what}: {loss.why}" + (f"; save it first with {loss.save}" if loss.save else "")
        for loss in losses(plan)
    ]


def staying(plan: Plan) -> str:
    """A sentence about what stays until it is deleted, too."""
    lost = data(plan)
    kept = [each.mount for each in plan.storage if each.mount not in lost]
    stays = [] if plan.creates_cluster else ["the cluster with its other nodes"]
    stays += [] if _has_network(plan) else ["network"]
    stays += ["log groups"] if _has_logs(plan) else []
    stays += [f"the data of {', '.join(kept)}"] if kept else []
    return _listed(stays)


def _has_logs(plan: Plan) -> bool:
    """Whether log groups are its own; HyperPod makes some that no document promises to keep.

    An overlay may change what becomes of them.
    """
    if plan.overlay or (plan.sagemaker and not plan.options.creates_eks):
        return False
    return plan.creates_cluster and not plan.options.leaves_out("control-plane-logs")


def _listed(names: list[str]) -> str:
    if not names:
        return "nothing stays"
    *first, last = names
    both = f"{', '.join(first)} and {last}" if first else last
    return f"{both} {'stay' if first or last.endswith('s') else 'stays'}"


def _ends(item: Storage) -> bool:
    if item.existing or item.retain:
        return False
    return not item.ends_as_snapshot if isinstance(item, Ebs) else item.by_cluster


def _has_network(plan: Plan) -> bool:
    return any(resource.get("Type") == "AWS::EC2::VPC" for _, resource in _added(plan))


def _added(plan: Plan) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The resources that only the overlay has, such as those of an adopted stack."""
    found = plan.overlay.get("Resources") if plan.overlay else None
    for name, resource in found.items() if isinstance(found, Mapping) else ():
        if isinstance(resource, Mapping) and "Type" in resource:
            yield str(name), resource
