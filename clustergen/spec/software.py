"""``software`` and ``users``: programs and users on nodes."""

from typing import Annotated, Literal

from pydantic import Field

from clustergen.spec import patterns
from clustergen.spec.base import Section, Text

Os = Literal["alinux2023", "ubuntu2204", "ubuntu2404", "rhel8", "rhel9", "rocky8", "rocky9"]
Role = Literal["head", "login", "compute"]


class Script(Section):
    """A custom script that runs at boot, in the order of the spec."""

    run: str = Field(
        description="s3:// or https:// URL.", pattern=patterns.SCRIPT.regex, max_length=1024
    )
    on: list[Role] | None = Field(
        None,
        min_length=1,
        description="Kinds of nodes that run it; default: all, but not compute if `updated`.",
    )
    when: Literal["start", "configured", "updated"] = Field(
        "configured",
        description="start: before the node joins the cluster; configured: after; updated: on "
        "running head and login nodes, at each update of the cluster.",
    )
    on_failure: Literal["stop", "continue"] | None = Field(
        None,
        description="stop: give up a node whose script fails; continue: let it run; default: by "
        "the target.",
    )
    every_boot: bool = Field(False, description="Run it at each boot, not only at the first.")
    args: list[Text] = Field([], description="Arguments.")
    node_groups: list[str] = Field([], description="Node groups that run it; default: all.")
    sha256: str | None = Field(
        None, pattern=patterns.SHA256.regex, description="SHA-256 checksum of the script."
    )


class Software(Section):
    """Operating system, container runtime and scripts."""

    os: Os = Field("ubuntu2404", description="Operating system of every node.")
    containers: Literal["pyxis", "docker", "none"] = Field(
        "none", description="Container runtime for jobs."
    )
    registry: str | None = Field(
        None,
        pattern=patterns.REGISTRY.regex,
        max_length=160,
        description="Private registry with copies of the public images that the cluster uses.",
    )
    scripts: list[Script] = Field([], description="Custom scripts, in order.")


class User(Section):
    """A user with the same uid on every node."""

    name: str = Field(pattern=patterns.LOGIN_NAME.regex, description="Login name.")
    uid: int = Field(ge=1000, le=4294967294, description="Numeric user id, the same on every node.")
    ssh_key: Annotated[str, Field(pattern=patterns.SSH_KEY.regex)] | None = Field(
        None, description="OpenSSH public key."
    )
