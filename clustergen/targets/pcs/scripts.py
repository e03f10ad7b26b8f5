"""The scripts that clustergen brings to the nodes, and where they are found at boot.

They are uploaded under a key made of their content, so a node group that names one keeps getting
that very text, and a changed script is a changed node group.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from clustergen import cfn, shell
from clustergen.artifacts import Artifact
from clustergen.plan.model import User

BUCKET = "ScriptsBucketName"


@dataclass(frozen=True, slots=True)
class Script:
    """A script of the bundle, under ``scripts/``."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def location(self) -> cfn.Json:
        """Its address in the scripts bucket, in CloudFormation's words."""
        return cfn.sub(f"s3://${{{BUCKET}}}/{shell.content_key(self.name, self.text)}")

    @property
    def artifact(self) -> Artifact:
        return Artifact(f"scripts/{self.name}", self.text, executable=True)


def fixed(name: str) -> Script:
    """A script that is the same in every cluster and is told what to do by its arguments."""
    return Script(name, shell.render(f"pcs/{name}.j2"))


def users(users: tuple[User, ...]) -> Script:
    """The script that makes ``users``; SSH keys are longer than an argument may be."""
    return Script("users.sh", shell.render("pcs/users.sh.j2", users=users))
