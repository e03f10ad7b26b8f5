"""Scripts of a bundle that nodes read from the scripts bucket.

Their keys contain a hash of their content, so a node group always gets the same text, and a changed
script changes the node group.
"""

import functools
from typing import Any, NamedTuple

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Json
from clustergen.base.digests import sha256
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn, mounts

BUCKET = "ScriptsBucketName"
_FOLDERS = {
    **dict.fromkeys(("check-accelerators.sh", "mount.sh"), "scripts"),
    **dict.fromkeys(("containers.sh", "lustre-efa.sh", "scratch.sh"), "shared"),
}
"""Where templates of scripts are that targets share."""


class NodeScript(NamedTuple):
    """A script of the bundle, under ``scripts/``."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return sha256(self.text)

    @property
    def key(self) -> str:
        return shell.content_key(self.name, self.text)

    @property
    def location(self) -> Json:
        """Its address, as a CloudFormation value."""
        return cfn.sub(f"s3://${{{BUCKET}}}/{self.key}")

    @property
    def artifact(self) -> Artifact:
        return Artifact(f"scripts/{self.name}", self.text, executable=True)


@functools.cache
def rendered(target: str, name: str, **values: Any) -> NodeScript:
    """A script of a target; what differs between nodes is an argument of it."""
    return NodeScript(name, shell.render(f"{_FOLDERS.get(name, target)}/{name}.j2", **values))


def mount_arguments(plan: Plan, item: mounts.Mount) -> tuple[Any, ...]:
    """The arguments of ``mount.sh``, with placeholders of outputs; `-` replaces empty ones."""
    named = (item.type, item.mount, item.source, item.options or "-", item.age)
    asks_aws = item.volume or item.type.startswith("s3")
    return (*named, item.volume or "-", plan.region) if asks_aws else named
