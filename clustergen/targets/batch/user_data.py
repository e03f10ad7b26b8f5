"""EC2 user data: what nodes run before they join the cluster.

Batch merges another part into it, so it must be MIME multipart. The ECS agent starts after all of
it, also if it fails: it must keep a node out itself.
https://docs.aws.amazon.com/batch/latest/userguide/launch-templates.html
"""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from clustergen.base import shell
from clustergen.base.artifacts import Json
from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import Bucket, Efs, NodeGroup, Plan
from clustergen.services.aws import cfn, mime, mounts, references
from clustergen.services.nodes import node_scripts
from clustergen.services.nodes.node_scripts import BUCKET, NodeScript, mount_arguments

_script = functools.partial(
    node_scripts.rendered,
    "batch",
    linger=0,
    before="ecs.service",
    consequence="the node then does not join, and gets no job.",
)


class Action(NamedTuple):
    """A script that a node runs: its URL, checksum and arguments."""

    url: str
    checksum: str
    arguments: tuple[str, ...] = ()
    required: bool = True
    """If it fails, the node does not join."""


def for_group(plan: Plan, group: NodeGroup) -> Json | str | None:
    """The user data of a group's nodes, with values of outputs; None if they need none."""
    found = tuple(_actions(plan, group))
    if not found:
        return None
    text = _text(found, plan.region)
    return (
        cfn.sub(cfn.literal(text).replace(_BEGIN, "${").replace(_END, "}"))
        if _BEGIN in text
        else text
    )


# Groups may run the same scripts.
@functools.lru_cache(maxsize=8)
def _text(actions: tuple[Action, ...], region: str) -> str:
    text = shell.render("batch/user-data.sh.j2", actions=actions, region=region)
    return mime.multipart([(mime.SHELL_SCRIPT, text)])


def used(plan: Plan) -> tuple[NodeScript, ...]:
    """clustergen's scripts that nodes run, by name."""
    found = {script for group in plan.node_groups for script, _, _ in _own(plan, group)}
    return tuple(sorted(found, key=lambda script: script.name))


# References to outputs, which no text of a user can contain.
_BEGIN, _END = "\ue000", "\ue001"


def _referring(text: str) -> str:
    """The placeholders of a text of ours, marked as such."""
    return re.sub(r"\$\{([A-Za-z0-9]+)\}", rf"{_BEGIN}\1{_END}", text)


def _actions(plan: Plan, group: NodeGroup) -> Iterator[Action]:
    before = tuple(_users(plan, group, "start"))
    after = tuple(_users(plan, group, "configured"))
    own = tuple(_action(*each) for each in _own(plan, group))
    first = own[:1] if own and own[0].url.endswith("/packages.sh") else ()
    yield from (*first, *before, *own[len(first) :], *after)


def _action(script: NodeScript, arguments: tuple[str, ...], required: bool) -> Action:
    bucket = references.placeholder(BUCKET)
    return Action(f"s3://{_referring(bucket)}/{script.key}", script.checksum, arguments, required)


def _users(plan: Plan, group: NodeGroup, when: str) -> Iterator[Action]:
    for script in plan.scripts_of(group):
        if script.when == when:
            yield Action(script.url, script.sha256 or "", script.args)


def _own(plan: Plan, group: NodeGroup) -> Iterator[tuple[NodeScript, tuple[str, ...], bool]]:
    """clustergen's scripts, their arguments, and whether a node needs them."""
    if needed := tuple(_packages(plan, group)):
        yield _script("packages.sh"), needed, True
    if group.scratch:
        yield _script("scratch.sh"), (group.scratch,), True
    if number := lustre_interfaces(plan, group):
        yield _script("lustre-efa.sh"), (str(number),), False
    for item in mounts.mounted(plan):
        given = mount_arguments(plan, mounts.mount(item))
        type, folder, source, *rest = map(str, given)
        yield _script("mount.sh"), (type, folder, _referring(source), *rest), True
    kind, count = group.accelerators
    if "gpu" in group.health_checks and count:
        yield _script("check-accelerators.sh"), (kind, str(count)), True


_MOUNT_S3 = "https://s3.amazonaws.com/mountpoint-s3-release/latest/{}/mount-s3.rpm"


def _packages(plan: Plan, group: NodeGroup) -> Iterator[str]:
    """Programs that the image may lack, each with its package.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint-installation.html
    """
    items = mounts.mounted(plan)
    if mounts.lustre(plan):
        yield "mount.lustre=lustre-client"
    if any(isinstance(item, Efs) for item in items):
        yield "mount.efs=amazon-efs-utils"
    if any(mounts.mount(item).type == "nfs" for item in items):
        yield "mount.nfs4=nfs-utils"
    if any(isinstance(item, Bucket) for item in items):
        yield "mount-s3=" + _MOUNT_S3.format(group.type.arch)
    if group.scratch and group.type.disk_count > 1:
        yield "mdadm=mdadm"
