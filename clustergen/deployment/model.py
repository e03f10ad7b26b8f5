"""What a bundle deploys: the contents of ``bundle.json``.

Programs read it in place of the texts of scripts; its JSON Schema is ``docs/bundle.schema.json``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from clustergen.base.artifacts import Artifact, Json, json_artifact

PATH: Final = "bundle.json"
FORMAT: Final = 1

Role = str
"""What a stack is for, such as ``foundation``; its template is ``ROLE.template.json``."""


class _Read:
    """How the file is read: an unknown member is an error, as it could be one that matters."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {
        "extra": "forbid",
        "use_attribute_docstrings": True,
    }


@dataclass(frozen=True, slots=True)
class Mark(_Read):
    """Whose a stack is: ``Metadata.clustergen`` of its template."""

    cluster: str
    target: str
    """``foundation`` for that of clusters of several targets."""


@dataclass(frozen=True, slots=True)
class Stack(_Read):
    """A CloudFormation stack."""

    name: str
    mark: Mark
    described: tuple[str, ...]
    """Descriptions of its template in versions that wrote no mark."""
    template: str = ""
    """The file in the bundle; empty where only an earlier bundle may have made the stack."""


@dataclass(frozen=True, slots=True)
class Mounts(_Read):
    """File systems by what the bundle does with them, each by its path on nodes."""

    made: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    """Those that exist, and are mounted."""


@dataclass(frozen=True, slots=True)
class Service(_Read):
    """What runs the cluster."""

    kind: Literal["aws-batch", "aws-pcs", "amazon-eks", "hyperpod", "aws-parallelcluster"]
    version: str = ""
    """Of ParallelCluster, which updates only clusters of its own version."""
    eks_cluster: str = ""
    """The name of the EKS cluster in which pods run."""
    installs: bool = True
    """Whether a deployment installs the software in the EKS cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle(_Read):
    """Everything that a deployment needs to know besides the other files."""

    format: Literal[1] = FORMAT
    cluster: str
    """The name in the spec."""
    target: str
    region: str
    partition: str
    accounts: tuple[str, ...] = ()
    """The only accounts that the ARNs in the spec allow, by number."""
    service: Service
    stacks: Mapping[Role, Stack]
    """In order of deployment."""
    mounts: Mounts = Mounts()


def artifact(bundle: Bundle) -> Artifact:
    """The file."""
    return json_artifact(PATH, _members(bundle))


def _members(value: Any) -> Json:
    """The members of a dataclass that differ from their defaults, and those without one."""
    found = {field: getattr(value, field.name) for field in dataclasses.fields(value)}
    return {
        field.name: _plain(each)
        for field, each in found.items()
        if field.name == "format" or each != field.default
    }


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return _members(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
