"""EC2 user data: only what must happen earlier than PCS's own lifecycle actions can.

PCS merges a part of its own into the user data, which therefore has to be MIME multipart.
https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ec2-user-data.html
"""

from __future__ import annotations

from clustergen import shell
from clustergen.plan.model import NodeGroup

BOUNDARY = "==CLUSTERGEN=="


def of(group: NodeGroup) -> str | None:
    """The user data of a node group's nodes, in clear text; None when they need none."""
    return multipart("text/cloud-boothook", _mig(group)) if group.mig else None


def multipart(content_type: str, text: str) -> str:
    """A MIME message of one part. A blank line must follow the headers and precede the end."""
    lines = (
        "MIME-Version: 1.0",
        f'Content-Type: multipart/mixed; boundary="{BOUNDARY}"',
        "",
        f"--{BOUNDARY}",
        f'Content-Type: {content_type}; charset="us-ascii"',
        "",
        text,
        f"--{BOUNDARY}--",
        "",
    )
    return "\n".join(lines)


def _mig(group: NodeGroup) -> str:
    """Partitions the GPUs on each boot, before any process holds them.

    https://docs.aws.amazon.com/pcs/latest/userguide/mig-configuration.html
    """
    profiles = [name for name, count in group.mig.items() for _ in range(count)]
    return shell.render("pcs/mig.sh.j2", profiles=",".join(profiles), gpus=group.type.gpus)
