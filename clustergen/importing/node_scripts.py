"""What nodes run before they join: the user's scripts, and what the arguments of ours say.

Documents of clustergen have file systems, scratch folders and checks as arguments of its scripts.
"""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from clustergen.base.text_lists import word_set
from clustergen.importing.cloudformation.functions import UNKNOWN
from clustergen.importing.companion_files import Beside
from clustergen.importing.file_systems import new
from clustergen.importing.machines import items, mappings, section, template
from clustergen.importing.merging import Run, merged
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json
from clustergen.services.aws.mime import BOUNDARY
from clustergen.services.aws.mounts import Mount
from clustergen.services.nodes.node_scripts import BUCKET

_OURS: Final = re.compile(rf"s3://\${{{BUCKET}}}/(?:[0-9a-f]+|clusters/[^/]+)/([a-z-]+\.sh)$")
_OF_AWS: Final = "/aws-pcs-node-lifecycle-scripts/"
_FIRST: Final = word_set("aws baseline.sh imex.sh packages.sh")
"""What precedes the user's first scripts."""
_NONE: Final = "-"


class Action(NamedTuple):
    """A script that a node runs."""

    url: str
    arguments: tuple[str, ...] = ()
    checksum: str = ""
    required: bool | None = None
    every_boot: bool = False

    @property
    def ours(self) -> str:
        """The name of a script that is not the user's."""
        found = _OURS.match(self.url)
        return found[1] if found else "aws" if _OF_AWS in self.url else ""


class Node(NamedTuple):
    """A node group, or login nodes, with what they run, in order."""

    name: str
    actions: Sequence[Action]
    role: str = "compute"


def lifecycle_actions(group: Json) -> list[Action]:
    """The node lifecycle actions of PCS."""
    stages = section(group, "NodeLifecycleActions", "Stages")
    return [_lifecycle(each) for key in stages for each in mappings(stages, key)]


def _lifecycle(action: Json) -> Action:
    source = section(action, "ScriptSource")
    return Action(
        _text(source.get("ScriptLocation")),
        tuple(map(_text, items(action, "Arguments"))),
        str(source.get("Checksum") or ""),
        action.get("OnError", "TERMINATE") == "TERMINATE",
        action.get("ExecutionPolicy") == "EVERY_BOOT",
    )


def user_data(group: Json) -> list[Action]:
    """The scripts in the user data that clustergen writes for Batch and EKS."""
    text = _user_data(group)
    calls = re.findall(r"^run_script [^$\n].*(?:\n(?!run_script |\n).*)*", text, re.MULTILINE)
    try:
        return [_call(shlex.split(call)[1:]) for call in calls]
    except ValueError:  # a user changed it
        return []


def _user_data(group: Json) -> str:
    """The user data of nodes, if clustergen wrote it."""
    text = _text(section(template(group), "UserData").get("Fn::Base64"))
    return text if f'boundary="{BOUNDARY}' in text else ""


def partitions(group: Json) -> Json:
    """``mig`` of nodes whose GPUs the user data divides."""
    found = re.search(r"^readonly PROFILES=(\S+)", _user_data(group), re.MULTILINE)
    return dict(Counter(found[1].split(","))) if found else {}


def _call(words: Sequence[str]) -> Action:
    required = {"yes": True, "no": False}.get(words[0])
    url, checksum, *arguments = words if required is None else words[1:]
    return Action(url, tuple(arguments), checksum, required)


def _text(value: Any) -> str:
    """A value as text, with ``${NAME}`` for references."""
    if isinstance(value, Mapping) and len(value) == 1:
        return f"${{{next(iter(value.values()))}}}"
    return UNKNOWN.sub(r"${\1}", str(value))


def of_group(actions: Iterable[Action]) -> Json:
    """What a node group has of its own."""
    found = {each.ours: each.arguments for each in actions}
    return {
        "scratch": found["scratch.sh"][0] if "scratch.sh" in found else None,
        "health_checks": ["gpu"] if "check-accelerators.sh" in found else None,
    }


def called(nodes: Iterable[Node]) -> Mapping[str, Sequence[str]]:
    """The arguments of each of our scripts, of the last node that runs it."""
    return {each.ours: each.arguments for one in nodes for each in one.actions if each.ours}


def containers(called: Mapping[str, Sequence[str]]) -> str | None:
    return called["containers.sh"][0] if "containers.sh" in called else None


def monitoring(called: Mapping[str, Sequence[str]]) -> Json:
    """``monitoring``, of nodes that send metrics."""
    if "monitoring.sh" not in called:
        return {}
    workspace = called["monitoring.sh"][0]
    named = workspace if workspace.startswith("ws-") else None
    return {"metrics": "managed-prometheus", "workspace": named}


def over_efa(called: Mapping[str, Sequence[str]]) -> bool:
    """Whether nodes reach Lustre over EFA."""
    return "lustre-efa.sh" in called


def of_cluster(nodes: Sequence[Node], beside: Beside, notes: Notes, os: str | None = None) -> Json:
    """The sections of the spec for what nodes run."""
    known = called(nodes)
    found = (each.arguments for one in nodes for each in one.actions if each.ours == "mount.sh")
    mounts = [
        Mount(*each[: len(Mount._fields)]) for each in dict.fromkeys(found) if _is_known(each)
    ]
    metrics = monitoring(known)
    return {
        "storage": [_storage(each, beside, notes, efa=over_efa(known)) for each in mounts],
        "software": {"os": os, "containers": containers(known), "scripts": merged(_runs(nodes))},
        **({"monitoring": metrics} if metrics else {}),
    }


def _runs(nodes: Sequence[Node]) -> Iterator[Run]:
    for node in nodes:
        places = [n for n, each in enumerate(node.actions) if each.ours and each.ours not in _FIRST]
        last = places[0] if places else 0
        for when, part in (("start", node.actions[:last]), ("configured", node.actions[last:])):
            scripts = [_script(each, node.role) for each in part if not each.ours]
            yield Run(node.role, (node.name,), when, scripts)


def _script(action: Action, role: str) -> Json:
    default = role == "compute" or action.required is None
    stops = default if action.required is None else action.required
    return {
        "run": action.url,
        "args": list(action.arguments),
        "sha256": action.checksum or None,
        "on_failure": None if stops == default else "stop" if stops else "continue",
        "every_boot": True if action.every_boot else None,
    }


# File systems.


def _is_known(arguments: Sequence[str]) -> bool:
    """Whether these are arguments that this version of clustergen writes."""
    members = Mount._fields
    required = len(members) - len(Mount._field_defaults)
    most = len(members) + 1  # the region follows
    return required <= len(arguments) <= most and arguments[0] in _KINDS


def _storage(mount: Mount, beside: Beside, notes: Notes, *, efa: bool) -> Json:
    over_efa = efa and mount.type == "lustre"
    if mount.age == "new" and mount.type in _NEW:
        type = _NEW[mount.type]
        return new(type, mount.source, mount.mount, beside, notes, efa=over_efa)
    found = _KINDS[mount.type](mount)
    efa = over_efa and found["type"] == "fsx-lustre"
    return {"mount": mount.mount, **found, **({"efa": True} if efa else {})}


_NEW: Final = {"lustre": "fsx-lustre", "nfs": "fsx-openzfs", "efs": "efs"}


def _lustre(mount: Mount) -> Json:
    host, _, name = mount.source.partition("@tcp:/")
    kind = "file-cache" if host.startswith("fc-") else "fsx-lustre"
    return {"type": kind, "existing": {**server(host), "mount_name": name}}


def _nfs(mount: Mount) -> Json:
    machine, _, rest = mount.source.partition(".")
    if machine.startswith("svm-"):
        named = {"id": rest.partition(".")[0], "dns_name": mount.source}
        return {"type": "fsx-ontap", "existing": {**named, "volume_id": mount.volume}}
    return {"type": "fsx-openzfs", "existing": {**server(mount.source), "volume_id": mount.volume}}


def _efs(mount: Mount) -> Json:
    return {"type": "efs", "existing": server(mount.source.removesuffix(":/"))}


def server(name: str) -> Json:
    """The id of a file system, and its name where that is not the one that AWS gives it."""
    id, _, rest = name.partition(".")
    usual = re.match(r"(?:fsx|efs)\.[a-z0-9-]+\.amazonaws\.com", rest)
    return {"id": id, "dns_name": None if usual else name}


def _bucket(mount: Mount) -> Json:
    prefix = "" if mount.options == _NONE else f"/{mount.options.rstrip('/')}"
    writable = mount.type == "s3"
    bucket = f"s3://{mount.source}{prefix}"
    return {"type": "s3", "bucket": bucket, "read_only": False if writable else None}


_KINDS: Final[Mapping[str, Callable[[Mount], Json]]] = {
    "lustre": _lustre,
    "nfs": _nfs,
    "efs": _efs,
    "s3": _bucket,
    "s3-read-only": _bucket,
}
