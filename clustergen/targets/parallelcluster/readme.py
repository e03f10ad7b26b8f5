"""The values of the page about ParallelCluster in the README."""

from collections.abc import Iterator
from typing import Any

from clustergen.plan.model import Ebs, Efs, Lustre, Plan, Raid
from clustergen.services.slurm import readme as slurm
from clustergen.targets.parallelcluster import limits, nodes
from clustergen.targets.parallelcluster.options import Options


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/parallelcluster/readme.md.j2``."""
    return {
        **slurm.values(plan),
        "desktops": _has_desktops(plan.options_as(Options)),
        "public_head": nodes.entry_subnet(plan.network) in plan.network.public,
        "remaining": list(_remaining(plan)),
        # Nodes of a block are in a reservation of Slurm until it begins.
        "static": any(g.min for g in plan.node_groups if g.capacity.kind != "capacity-block"),
        "user": limits.DEFAULT_USERS.get(plan.software.os),
        "users_with_key": any(user.ssh_key for user in plan.users),
        "version": limits.VERSION,
    }


def _has_desktops(options: Options) -> bool:
    pools = (options.login_pool, *options.more_login_pools)
    return options.dcv is not None or any(pool.dcv for pool in pools)


def _remaining(plan: Plan) -> Iterator[tuple[str, str]]:
    """Volumes and file systems of the cluster that stay, and what deletes them."""
    delete = f"delete-file-system --region {plan.region} --file-system-id ID"
    delete_volume = f"aws ec2 delete-volume --region {plan.region} --volume-id ID"
    if plan.head and plan.head.volume.retain:
        yield "the root volume of the head node", delete_volume
    for item in plan.storage:
        match item:
            case Ebs(existing=False, retain=True, raid=None):
                yield f"the EBS volume of {item.mount}", delete_volume
            case Ebs(existing=False, retain=True, raid=Raid() as raid):
                yield f"each of the {raid.volumes} EBS volumes of {item.mount}", delete_volume
            case Efs(new_in_cluster=True, retain=True):
                yield f"the EFS file system of {item.mount}", f"aws efs {delete}"
            case Lustre(new_in_cluster=True, retain=True):
                yield f"the Lustre file system of {item.mount}", f"aws fsx {delete}"
