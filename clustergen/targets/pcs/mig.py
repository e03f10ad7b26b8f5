"""Partitions of GPUs, which EC2 user data makes before lifecycle actions of PCS run.

PCS merges another part into the user data, so it must be MIME multipart.
https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ec2-user-data.html
"""

from clustergen.base import shell
from clustergen.plan.model import NodeGroup
from clustergen.services.aws import mime


def for_group(group: NodeGroup) -> str | None:
    """The user data of a node group's nodes, in clear text; None if they need none."""
    return mime.multipart([(mime.BOOTHOOK, _mig(group))]) if group.mig else None


def _mig(group: NodeGroup) -> str:
    """The part that partitions GPUs on each boot, before any process uses them.

    https://docs.aws.amazon.com/pcs/latest/userguide/mig-configuration.html
    """
    profiles = [name for name, count in group.mig.items() for _ in range(count)]
    return shell.render("pcs/mig.sh.j2", profiles=",".join(profiles), gpus=group.type.gpus)
