"""Names: valid for the service, and not taken."""

import re
from collections.abc import Iterator

from clustergen.base.findings import Fix, Path, Problem, put, rename, unsafe
from clustergen.plan import names
from clustergen.plan.limits import Named, Names, Reserved
from clustergen.plan.model import Plan
from clustergen.rules.services import rule
from clustergen.services.aws import cfn


@rule(
    "LIM001",
    "Name that the service does not accept",
    why="Names of clusters, node groups and queues become names of the service's own resources, "
    "which have a form and a length.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateComputeNodeGroup.html",
    bad="node_groups: [{name: accelerated-nodes-of-research, instance_type: m7i.xlarge, count: 1}]",
    good="node_groups: [{name: accelerated-nodes, instance_type: m7i.xlarge, count: 1}]",
)
def form(plan: Plan) -> Iterator[Problem]:
    reported: set[Path] = set()  # a queue that the spec does not write shares its group's name
    free = plan.limits.free_names(plan)
    for limit in plan.limits.names:
        if limit.when and not limit.when(plan):
            continue
        for path, kind, name in _named(plan, every_queue=True):
            if kind == "queue" and name in free:
                continue
            wrong = _wrong(limit, name) if kind in limit.of and path not in reported else ""
            if wrong:
                reported.add(path)
                message = f"{wrong}; {plan.limits.title} accepts {_accepted(limit, kind, path)}"
                fitting = _fitting(limit, kind, name)
                help = f"write {fitting}"
                if kind == "queue" and path[0] != "queues":
                    help += f", or add to queues: {{name: {fitting}, node_groups: [{name}]}}"
                fix = renaming(plan, path, kind, name, fitting)
                yield Problem(path, message, help=help, source=limit.source, fix=fix)


@rule(
    "LIM013",
    "Names that become one",
    why="Logical ids of a template have letters and digits only. Kubernetes objects and files do "
    "not distinguish upper and lower case. So both names become the same.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "resources-section-structure.html",
    bad="node_groups: [{name: cpu-1, instance_type: m7i.xlarge, count: 1}, "
    "{name: cpu1, instance_type: m7i.xlarge, count: 1}]",
)
def alike(plan: Plan) -> Iterator[Problem]:
    seen: dict[tuple[str, str], str] = {}
    for path, kind, name in _named(plan):
        keys: list[tuple[str, str]] = [(kind, names.object_name(name))]
        if kind in plan.limits.ids:
            keys.append((f"id of {kind}", cfn.logical_id(kind, name)))
        firsts = [first for key in keys if (first := seen.setdefault(key, name)) != name]
        if firsts:
            yield Problem(
                path,
                f"the {kind} names {firsts[0]!r} and {name!r} differ in case or punctuation only",
                help=f"write {name}-{_SUFFIXES[kind]}",
                fix=renaming(plan, path, kind, name, f"{name}-{_SUFFIXES[kind]}"),
            )


@rule(
    "LIM002",
    "Reserved name",
    why="Some names belong to the service, or to something that the bundle creates beside it.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateComputeNodeGroup.html",
    bad="login: {}\nnode_groups: [{name: login, instance_type: m7i.xlarge, count: 1}]",
)
def reserved(plan: Plan) -> Iterator[Problem]:
    reported: set[Path] = set()  # a default queue shares its group's name
    for limit in plan.limits.reserved:
        if limit.with_login and plan.login is None:
            continue
        for path, kind, name in _named(plan, every_queue=limit.of == "queue"):
            if kind == limit.of and path not in reported and (owner := _owner(limit, name)):
                reported.add(path)
                yield Problem(
                    path,
                    f"{name!r} is reserved for {owner}",
                    help=f"write {_renamed(limit, name)}",
                    source=limit.source,
                    fix=renaming(plan, path, kind, name, _renamed(limit, name)),
                )


def renaming(plan: Plan, path: Path, kind: Named, old: str, new: str) -> Fix | None:
    """The edits that give something a new name, references to a node group included."""
    if path[0] == "node_groups" and kind == "queue":
        return None  # the name of the group is right
    changes = [put(path, new)]
    if kind == "node group":
        lists = [
            (queue.at("node_groups"), tuple(group.name for group in queue.node_groups))
            for queue in plan.queues
            if queue.path[0] == "queues"
        ]
        lists += [((*each.path, "node_groups"), each.node_groups) for each in plan.software.scripts]
        changes += [
            put((*at, index), new)
            for at, names in lists
            for index, name in enumerate(names)
            if name == old
        ]
        parts = ((*queue.at("nodes"), old) for queue in plan.queues if old in queue.nodes)
        changes += [rename(path, new) for path in parts]
    return unsafe(*changes)


def _named(plan: Plan, *, every_queue: bool = False) -> Iterator[tuple[Path, Named, str]]:
    """Place, kind and name; default queues have the name and place of their group."""
    yield ("name",), "cluster", plan.name
    for group in plan.node_groups:
        place = "service_name" if group.service_name else "name"
        yield group.at(place), "node group", group.resource_name
    for queue in plan.queues:
        if every_queue or queue.path[0] == "queues":
            yield queue.at("name"), "queue", queue.name


def _wrong(limit: Names, name: str) -> str:
    """What is wrong with a name; empty if nothing is."""
    if not limit.shortest <= len(name) <= limit.longest:
        return f"{name!r} is {len(name)} character{'' if len(name) == 1 else 's'} long"
    if not re.fullmatch(limit.form.pattern, name):
        return f"{name!r} does not have the form of a name"
    return ""


def _accepted(limit: Names, kind: Named, path: Path) -> str:
    least = f"{limit.shortest} to" if limit.shortest > 1 else "up to"
    what = " for its queue" if kind == "queue" and path[0] != "queues" else ""
    return f"{least} {limit.longest} {limit.form.text}{what}"


def _fitting(limit: Names, kind: Named, name: str) -> str:
    """The most similar name in the form of the service."""
    hyphens = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
    for text in (name, hyphens, hyphens.lower(), f"{_SUFFIXES[kind]}-{hyphens.lower()}"):
        fitting = text[: limit.longest].rstrip("-")
        if len(fitting) < limit.shortest:
            fitting = f"{fitting}-{_SUFFIXES[kind]}"
        if re.fullmatch(limit.form.pattern, fitting):
            return fitting
    return _SUFFIXES[kind]


_SUFFIXES = {"cluster": "cluster", "node group": "nodes", "queue": "queue"}


def _owner(limit: Reserved, name: str) -> str:
    """The owner of a name; empty if it is free."""
    if name.startswith(limit.prefixes):
        return "software that runs in the cluster"
    return limit.names.get(name.lower(), "")


def _renamed(limit: Reserved, name: str) -> str:
    prefix = next((p for p in limit.prefixes if name.startswith(p)), "")
    return f"{name.removeprefix(prefix)}-{_SUFFIXES[limit.of]}"
