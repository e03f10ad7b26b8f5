"""clustergen's scripts for nodes, and their location in S3.

Their keys contain a hash of their content, so a node group always gets the same text, and a changed
script changes the node group.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from clustergen import shell
from clustergen.artifacts import Artifact, Json
from clustergen.aws import cfn
from clustergen.digests import sha256
from clustergen.plan.model import User

BUCKET = "ScriptsBucketName"


class Script(NamedTuple):
    """A script of the bundle, under ``scripts/``; its text is rendered when it is used.

    SSH keys are too long for arguments, so the text contains users. All else is an argument.
    """

    name: str
    users: tuple[User, ...] = ()
    made: str = ""
    """The text, if it depends on more than users."""

    @property
    def text(self) -> str:
        return self.made or _text(self.name, self.users)

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return sha256(self.text)

    @property
    def key(self) -> str:
        """Its key in the scripts bucket."""
        return shell.content_key(self.name, self.text)

    @property
    def location(self) -> Json:
        """Its address, as a CloudFormation value."""
        return cfn.sub(f"s3://${{{BUCKET}}}/{self.key}")

    @property
    def artifact(self) -> Artifact:
        return Artifact(f"scripts/{self.name}", self.text, executable=True)


# Scripts that targets share.
_SHARED = ("containers.sh", "lustre-efa.sh", "scratch.sh", "users.sh")
_LOG_AGENT_SECONDS = 20


# All node groups use the same few scripts; the cache holds those of one cluster.
@functools.lru_cache(maxsize=16)
def _text(name: str, users: tuple[User, ...]) -> str:
    return shell.render(
        f"{'shared' if name in _SHARED else 'pcs'}/{name}.j2",
        users=users,
        linger=_LOG_AGENT_SECONDS,
        plugin="pcs/parts/pyxis-plugin.sh.j2",
        plugin_argument="SLURM-VERSION",
    )
