"""What a bundle deploys: the contents of ``bundle.json``.

Programs read it in place of the texts of scripts; its JSON Schema is ``docs/bundle.schema.json``.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from clustergen.base.artifacts import Artifact, Json, json_artifact
from clustergen.deployment.form import Read
from clustergen.deployment.kinds import Services

PATH: Final = "bundle.json"
FORMAT: Final = 1

MARK: Final = "clustergen"
"""Where the metadata of a template says whose it is."""
MARK_FORMAT: Final = 1
INLINE_BYTES: Final = 51_200
"""Maximum size of a template in a request; larger ones must be in S3.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"""
STAGE: Final = "foundation-bucket.template.json"
"""Template with only the bucket, if the whole foundation is too large for one request."""
NAMING: Final = ("Id", "Arn", "BucketName")
"""How outputs of the foundation end that name what it made."""

EXPECTED: Final = "clustergen.test/expected"
"""The annotation of a test in Kubernetes with what its output has to have, in lines."""

Role = str
"""What a stack is for, such as ``foundation``; its template is ``ROLE.template.json``."""


@dataclass(frozen=True, slots=True)
class Mark(Read):
    """Whose a stack is: ``Metadata.clustergen`` of its template."""

    cluster: str
    target: str
    """``foundation`` for that of clusters of several targets."""


@dataclass(frozen=True, slots=True)
class Source(Read):
    """Where the value of a parameter comes from: one of these."""

    output: str = ""
    """An output of a stack before this one."""
    image: str = ""
    """A public parameter that names the newest image. A stack keeps the image that it has."""
    ahead: int = 0
    """A time, in seconds since 1970. The value is whether it is still ahead: yes or no."""
    paused: bool = False
    """The value is whether the cluster is paused: yes or no."""


@dataclass(frozen=True, slots=True)
class Stack(Read):
    """A CloudFormation stack."""

    name: str
    mark: Mark
    described: tuple[str, ...]
    """Descriptions of its template in versions that wrote no mark."""
    template: str = ""
    """The file in the bundle; empty where only an earlier bundle may have made the stack."""
    parameters: Mapping[str, Source] = field(default_factory=dict)
    """By name. Others have their defaults."""
    kept: tuple[str, ...] = ()
    """The parameters of the overlay: they keep the values that the stack has."""
    adopted: Mapping[str, str] = field(default_factory=dict)
    """Of a stack that the spec adopted, what makes up the cluster: types by logical id."""


@dataclass(frozen=True, slots=True)
class Mounts(Read):
    """File systems by what the bundle does with them, each by its path on nodes."""

    made: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    """Those that exist, and are mounted."""


@dataclass(frozen=True, slots=True)
class Network(Read):
    """What exists of the network."""

    vpc: str = ""
    """Empty if the foundation makes one."""
    groups: tuple[str, ...] = ()
    """Existing security groups to which the foundation adds rules."""


@dataclass(frozen=True, slots=True)
class Table(Read):
    """A table in the bucket of scripts, which nodes read regularly."""

    key: str
    file: str = ""
    """Empty where the bundle has none."""
    empty: str = ""
    """The text that takes the place of a table of an earlier bundle."""


@dataclass(frozen=True, slots=True)
class Losses(Read):
    """What goes with the cluster."""

    lines: tuple[str, ...] = ()
    """Everything, with the reason and, where there is one, the command that saves it."""
    data: tuple[str, ...] = ()
    """Mounts and resources whose data goes, which needs consent."""
    foundation: tuple[str, ...] = ()
    """What becomes of the data in the foundation when that is deleted, too."""


@dataclass(frozen=True, slots=True)
class Period(Read):
    """When capacity can be used, in seconds since 1970; 0 if that is not known."""

    starts: int = 0
    ends: int = 0


@dataclass(frozen=True, slots=True)
class Objects(Read):
    """How objects in Kubernetes are known as those of a bundle."""

    label: str = ""
    owner: str = ""
    """Its value."""
    paused: str = ""
    """The annotation with the policy that a queue had before a pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle(Read):
    """Everything that a deployment needs to know besides the other files."""

    format: Literal[1] = FORMAT
    cluster: str
    """The name in the spec."""
    target: str
    region: str
    partition: str
    accounts: tuple[str, ...] = ()
    """The only accounts that the ARNs in the spec allow, by number."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Of stacks, and of what is in them."""
    service: Services
    network: Network = Network()
    stacks: Mapping[Role, Stack]
    """In order of deployment."""
    creates: bool = True
    """Whether a deployment creates the cluster; if not, its stack has to be there."""
    uploads: Mapping[str, str] = field(default_factory=dict)
    """Scripts of nodes: key in the bucket of scripts -> file."""
    tables: tuple[Table, ...] = ()
    groups: tuple[str, ...] = ()
    """The names of node groups."""
    shared: str = ""
    """A file system that all nodes of Slurm share; empty without one."""
    sessions: bool = True
    """Whether Session Manager opens shells on nodes."""
    spot: bool = False
    """Whether the account needs the role with which EC2 starts Spot instances."""
    periods: Mapping[str, Period] = field(default_factory=dict)
    """By node group, of capacity with dates."""
    objects: Objects = Objects()
    mounts: Mounts = Mounts()
    losses: Losses = Losses()
    controller_roles: tuple[str, ...] = ()
    """Logical ids of the role that gets the password of the accounting database of a HyperPod
    controller, and of the one that has it in foundations of earlier versions."""
    billed: tuple[str, ...] = ()
    """What continues to cost money during a pause."""


class OfTarget(NamedTuple):
    """What a target says of its bundles, besides what is the same for all."""

    service: Services
    sources: Mapping[str, Source] = MappingProxyType({})
    """Of parameters that are no outputs, by name."""
    uploads: Mapping[str, str] = MappingProxyType({})
    tables: tuple[Table, ...] = ()
    periods: Mapping[str, Period] = MappingProxyType({})
    adopted: Mapping[str, str] = MappingProxyType({})
    billed: tuple[str, ...] = ()
    """What continues to cost money during a pause, besides what every target has."""
    objects: Objects = Objects()
    script: bool = True
    """Whether the bundle has a ``deploy.sh`` that starts ``clustergen deploy``."""


def artifact(bundle: Bundle) -> Artifact:
    """The file."""
    return json_artifact(PATH, _members(bundle))


def _members(value: Any) -> Json:
    """The members of a dataclass that differ from their defaults, and those that say what it is."""
    found = {each: getattr(value, each.name) for each in dataclasses.fields(value)}
    return {
        each.name: _plain(given)
        for each, given in found.items()
        if each.name in _ALWAYS or given != _default(each)
    }


_ALWAYS: Final = ("format", "kind")


def _default(each: dataclasses.Field[Any]) -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return _members(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
