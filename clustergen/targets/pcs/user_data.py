"""EC2 user data: only what must happen earlier than PCS's own lifecycle actions can.

PCS merges another part into the user data, which therefore has to be MIME multipart.
https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ec2-user-data.html
"""

from __future__ import annotations

from clustergen import shell
from clustergen.aws import mime
from clustergen.plan.model import NodeGroup


def for_group(group: NodeGroup) -> str | None:
    """The user data of a node group's nodes, in clear text; None when they need none."""
    return mime.multipart([(mime.BOOTHOOK, _mig(group))]) if group.mig else None


def _mig(group: NodeGroup) -> str:
    """Partitions the GPUs on each boot, before any process holds them.

    https://docs.aws.amazon.com/pcs/latest/userguide/mig-configuration.html
    """
    profiles = [name for name, count in group.mig.items() for _ in range(count)]
    return shell.render("pcs/mig.sh.j2", profiles=",".join(profiles), gpus=group.type.gpus)
