"""Keys that belong elsewhere: to another section, or to another target, and what to do instead."""

import difflib
import functools
import json
import pathlib
import re
from collections.abc import Iterable, Mapping

from clustergen.base.findings import Path
from clustergen.spec import sections

INSTEAD = pathlib.Path(__file__).with_name("instead.json")
"""What targets say of options that others have; :mod:`tools.spec.build` writes it."""

_COUNTED = ("count", "size", "nodes", "capacity", "instancecount")
_RANGE = "write count: {min: 0, max: 8}"
_SECTIONS: Mapping[Path, str] = {
    **{("node_groups", f"{end}{what}"): _RANGE for end in ("min", "max") for what in _COUNTED},
    **{("node_groups", f"desired{what}"): _RANGE for what in _COUNTED},
    **{("node_groups", word): "write image: ami-..." for word in ("ami", "amiid", "imageid")},
    **{
        ("node_groups", word): "write root_volume: {size: 200GiB}"
        for word in ("disksize", "volumesize", "rootvolumesize")
    },
    ("node_groups", "keyname"): "write users: [{name: ..., uid: 2001, ssh_key: ssh-ed25519 ...}]",
    ("node_groups", "userdata"): "write software: {scripts: [{run: s3://...}]}",
    ("slurm", "accounting", "host"): "write endpoint",
    ("storage", "existing", "filesystemid"): "write id",
    ("node_groups", "spot"): "write capacity: spot",
    ("node_groups", "capacityblock"): "write capacity: {capacity_block: cr-...}",
    ("node_groups", "reservation"): "write capacity: {reservation: cr-...}",
    ("node_groups", "trainingplan"): "write capacity: {training_plan: arn:...}",
    ("node_groups", "role"): "node groups run jobs: write login: {instance_type: ...} beside "
    "node_groups for login nodes, and head_node for the controller; a role of IAM is in iam",
    ("queues", "quota"): "a queue has all of its node groups: change count there",
    ("queues", "fairshare"): "write it in slurm.accounts, for a team",
    ("queues", "share"): "write fair_share in slurm.accounts, for a team",
    ("queues", "weight"): "write priority; or fair_share in slurm.accounts, for a team",
    ("count",): "write it in node_groups, or in login",
    ("leaveout",): "it depends on the target: write it in targets, pcs: {leave_out: [...]}",
    ("overlay",): "it is for one target: write it in targets, pcs: {overlay: {...}}",
    ("head_node", "count"): "HyperPod has several: targets.hyperpod-slurm.controllers",
    ("slurm", "accounting", "password"): "write `secret`: the ARN of a Secrets Manager secret that "
    "holds the password",
}
"""Help for keys of sections, in any case and without hyphens and underscores."""

_BOUNDS: Mapping[Path, str] = {
    ("users", "uid"): "Linux has lower ids for accounts of its own. If files have the old id, give "
    "the user a new one everywhere, then run `chown -R --from=OLD NEW FOLDER` on each file system",
}
"""What else helps with a number that is too small."""


def of_section(path: Path) -> str:
    """Help for a key that users often misplace; empty if there is none."""
    *section, key = _names(path) or ("",)
    return _SECTIONS.get((*section, re.sub("[-_]", "", str(key)).lower()), "")


def of_bound(path: Path) -> str:
    """What else helps with a number that is too small; empty if there is nothing."""
    return _BOUNDS.get(_names(path), "")


def _names(path: Path) -> Path:
    return tuple(step for step in path if isinstance(step, str))


def of_target(path: Path) -> str:
    """Help for an option of a target that others have; empty if none has it."""
    if path[:1] != ("targets",) or len(path) != 3:
        return ""
    _, target, key = path
    others = [n for n in sections.keys(path[:1], {}) if key in sections.keys((*path[:1], n), {})]
    if not others:
        return ""
    here = _instead()["options"].get(str(key), {}).get(str(target))
    return f"an option of {_joined(others)}{f': {here}' if here else '; remove it here'}"


def of_addition(path: Path, addition: object) -> str:
    """Help for an addition that a target cannot leave out; empty if there is none."""
    if path[:1] != ("targets",) or path[2:3] != ("leave_out",):
        return ""
    return _instead()["additions"].get(str(addition), {}).get(str(path[1]), "")


def of_image(path: Path, value: object) -> str:
    """Help for an operating system where an AMI belongs; empty if it is none."""
    systems = sections.choices(("software", "os")) if path[-1] == "image" else []
    near = difflib.get_close_matches(str(value).lower(), systems, n=1, cutoff=0.7)
    return f"write software: {{os: {near[0]}}}, for all nodes" if near else ""


@functools.cache
def _instead() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Help for options and additions of other targets, by their name and the target."""
    found: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads(INSTEAD.read_text("utf-8"))
    return found


def _joined(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
