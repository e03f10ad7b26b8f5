"""The page on the language, from its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clustergen.spec.schema import schema

_HEAD = """\
# The language, version 1

Generated from the JSON Schema by `python -m tools.docs.build`.

A spec describes one cluster for any of the targets. This one is complete:

```yaml
version: 1
name: demo
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: train, instance_type: p5.48xlarge, count: 4}
targets: {pcs: {}, eks: {}}
```

Everything else has a default, which `clustergen plan` prints. What a target cannot do is an error
or a warning that names a way out; [what each target supports](support.md) is a table. From the
configuration of a cluster that you already run, [`clustergen import`](import.md) writes the spec.

| to describe | write |
|---|---|
| nodes: which, how many, bought how | [`node_groups`](#nodegroup), [`capacity`](#capacity) |
| where jobs wait | [`queues`](#queue) |
| file systems and buckets | [`storage`](#spec), such as [FSx for Lustre](#fsxlustre) |
| the VPC, subnets, security groups | [`network`](#network), and those of nodes |
| who logs in, and to what | [`users`](#user), [`login`](#login), [`head_node`](#headnode) |
| what nodes may do in AWS | [`iam`](#iam) of a node group, of `head_node` and of `login` |
| what runs on nodes | [`software`](#software), [`scripts`](#script) |
| Slurm, or Kubernetes | [`slurm`](#slurm), [`kubernetes`](#kubernetes) |
| metrics, alerts, failures | [`monitoring`](#monitoring), [`resilience`](#resilience) |
| what only one service has | [`targets`](#targets) |
| which additions of clustergen to leave out | `leave_out` of a target |
| what no field covers | `overlay` of a target: [overlays](how-to/overlays.md) |

The services have other names for the same things:

| here | ParallelCluster | PCS | HyperPod | EKS | Batch |
|---|---|---|---|---|---|
| `node_groups` | compute resources | compute node groups | instance groups | managed node groups, \
or node pools of Karpenter | compute environments |
| `queues` | Slurm queues | queues | partitions; with EKS, compute quotas | queues of Kueue | job \
queues |
| `head_node` | head node | run by PCS | controller group; run by EKS | run by EKS | run by Batch |
| `login` | pools of login nodes | a compute node group | login group; none with EKS | none | none |

Network, file systems and roles are a *foundation*: a CloudFormation stack that stays when the
cluster is deleted, and that clusters can share.

## Notation

- Unknown keys are errors. An empty default means that the key is optional: its description or
  `clustergen plan` says what applies without it.
- Sizes need a unit (`500GiB`, `4.8TiB`), and so do durations (`90s`, `10m`, `12h`, `7d`, or
  `7-00:00:00` in Slurm's notation). A number without a unit is an error, unless the description
  says what it counts.
- Only `true`, `false`, `null` and numbers are converted; `NO`, `24:00:00` and `012345678901` stay
  text. Duplicate keys and merge keys (`<<`) are errors.
- A spec can also be written in JSON.
"""

# Long tables are easier to read in parts: section -> title of a part -> its keys.
_PARTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "NodeGroup": {
        "What it is": (
            *("name", "instance_type", "instance_types", "count", "capacity", "allocation"),
            "service_name",
        ),
        "Where it is": ("zone", "subnets", "placement"),
        "What it may do and reach": ("iam", "security_groups"),
        "The instances": (
            *("image", "root_volume", "scratch", "threads_per_core", "efa", "efa_layout", "mig"),
            *("health_checks", "tags"),
        ),
        "In the scheduler": ("labels", "taints", "accelerator_taint", "slurm"),
    },
    "ParallelCluster": {
        "Everyday": ("version", "overlay", "leave_out"),
        "Instances": ("key_name", "detailed_monitoring", "imds", "imds_for_all", "timeouts"),
        "Permissions": ("permissions_boundary", "resource_prefix"),
        "Queues": ("scaling_strategy", "queue_update_strategy", "memory_scheduling"),
        "Login and users": ("login_pool", "more_login_pools", "default_user", "directory", "dcv"),
        "Network and files": (
            "own_security_groups",
            "elastic_ip",
            "dns",
            "proxy",
            "shared_folders",
            "bucket",
        ),
    },
    "HyperPodEks": {
        "Everyday": ("overlay", "leave_out", "lifecycle", "provisioning"),
        "An existing HyperPod cluster": ("cluster", "cluster_security_group"),
        "The EKS cluster": ("eks_cluster", "eks_security_group", "cluster_role"),
        "Operation": ("tiered_checkpoints", "auto_patching", "update_schedule"),
    },
    "Kubernetes": {
        "The control plane": ("version", "support", "public_endpoint_from", "admins", "access"),
        "What runs in the cluster": ("system_nodes", "addons", "autoscaler", "devices"),
        "Jobs": ("admission", "scheduler", "jobs"),
    },
}

_NAMES = {"string": "text", "integer": "whole number", "number": "number", "null": "null"}


def page() -> str:
    """The page, in Markdown."""
    made = schema()
    sections: dict[str, Mapping[str, Any]] = {"Spec": {**made, "title": "Spec"}}
    _collect(made, made["$defs"], sections)
    lines = [_HEAD]
    for name, section in sections.items():
        lines += _section(name, section, made["$defs"])
    return "\n".join(lines).rstrip("\n") + "\n"


def _collect(node: Any, defs: Mapping[str, Any], found: dict[str, Mapping[str, Any]]) -> None:
    """Add the sections that ``node`` refers to, each followed by those it refers to itself."""
    for name in _references(node):
        if name not in found:
            found[name] = defs[name]
            _collect(defs[name], defs, found)


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"].rpartition("/")[2]
        for key, value in node.items():
            if key not in ("$defs", "discriminator"):
                yield from _references(value)
    if isinstance(node, list):
        for item in node:
            yield from _references(item)


def _section(
    name: str, section: Mapping[str, Any], defs: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    yield _markdown(section.get("description", ""))
    yield ""
    properties = section.get("properties", {})
    parts = _PARTS.get(name, {"": tuple(properties)})
    listed = {key for keys in parts.values() for key in keys}
    # A key that is in no part yet goes to the last one.
    others = tuple(key for key in properties if key not in listed)
    for number, (title, keys) in enumerate(parts.items(), 1):
        if title:
            yield f"**{title}**"
            yield ""
        wanted = [key for key in keys if key in properties]
        yield from _table(section, [*wanted, *(others if number == len(parts) else ())], defs)


def _table(
    section: Mapping[str, Any], keys: Sequence[str], defs: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    if not keys:
        return
    yield "| key | value | default | |"
    yield "|---|---|---|---|"
    for key in keys:
        value = section["properties"][key]
        default = "**required**" if key in section.get("required", ()) else _default(value)
        of_its_type = defs.get(value.get("$ref", "").rpartition("/")[2], {}).get("description", "")
        text = _markdown(value.get("description") or of_its_type)
        yield f"| `{key}` | {_type(value)} | {default} | {_in_lines(text, value)} |"
    yield ""


def _in_lines(text: str, value: Mapping[str, Any]) -> str:
    """A description with a line for each word of a list, if it says what each means."""
    for word in value.get("items", {}).get("enum", ()):
        text = text.replace(f" {word}: ", f"<br>`{word}`: ", 1)
    return text.replace(";<br>", "<br>")


def _markdown(text: str) -> str:
    """A docstring's text: its double backquotes are Markdown's single ones."""
    return text.replace("``", "`").replace("|", "\\|")


def _default(value: Mapping[str, Any]) -> str:
    default = value.get("default")
    if default in (None, {}, [], ""):
        return ""
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


def _type(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for union in ("anyOf", "oneOf"):
        if union in value:
            members = dict.fromkeys(_type(v) for v in value[union] if v.get("type") != "null")
            if "number" in members:
                members.pop("whole number", None)
            return " or ".join(members)
    if "const" in value:
        return f"`{json.dumps(value['const']).strip(chr(34))}`"
    if "enum" in value:
        return ", ".join(f"`{option}`" for option in value["enum"])
    return _plain(value)


def _plain(value: Mapping[str, Any]) -> str:
    match value.get("type"):
        case "array":
            return f"list of {_type(value['items'])}"
        case "object":
            inside = value.get("additionalProperties")
            return f"mapping to {_type(inside)}" if isinstance(inside, dict) else "mapping"
        case "boolean":
            return "`true`, `false`"
        case "string" if "examples" in value:
            return f"text, e.g. `{value['examples'][0]}`"
        case str(name):
            return _NAMES[name] + _range(value)
        case _:
            return "anything"


def _range(value: Mapping[str, Any]) -> str:
    low, high = value.get("minimum"), value.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    return "" if low is None else f", at least {low}"
