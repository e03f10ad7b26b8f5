"""Stand-ins for invalid values, so that the rest of a spec can still be checked.

Most places have two, as different as the field allows. A finding that occurs with only one of them
is a result of the stand-in, not of what the user wrote.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.base.documents import value_at
from clustergen.base.findings import Path
from clustergen.facts.catalog import regions
from clustergen.spec import patterns, sections, values
from clustergen.spec.sections import forms, language, of_type

ABSENT: Final = object()
"""Stand-in that omits the value."""

_TYPES: Final = {
    "head_node": ("m7i.4xlarge",),
    "login": ("m7i.xlarge",),
    "kubernetes": ("m7i.large",),
    "node_groups": ("p5en.48xlarge", "m7i.4xlarge"),
}
_EKS_CLUSTER: Final = "arn:aws:eks:us-east-1:111122223333:cluster/example"
_SUBNETS: Final = ("private_subnets", "public_subnets", "control_plane_subnets")


def choose(path: Path, data: Any) -> tuple[Any, ...]:
    """Stand-ins for ``path`` of ``data``: one value, or two different ones."""
    special = _special(path, data)
    if special:
        return special
    if isinstance(path[-1], int):
        whole = len(path) == 2 and path[0] == "node_groups"
        return (_named(_example(_node(path, data), 0), path[-1]) if whole else ABSENT,)
    node = _node(path, data)
    if near := _near(node, value_at(data, path)):
        return (near,)
    examples = tuple(_examples(node, 0))
    if path[-1] not in _node(path[:-1], data).get("required", ()):
        return (ABSENT, *examples[-1:])
    return (examples[0], examples[-1]) if examples else (ABSENT,)


def _special(path: Path, data: Any) -> tuple[Any, ...]:
    """Stand-ins for places on which other places depend."""
    match path:
        case ("version",):
            return (1,)
        case ("region",):
            return _regions(data)
        case ("targets", _, "eks_cluster"):
            return ("new", _EKS_CLUSTER)
        case ("targets", _) if _has_eks_cluster(_node(path, data)):
            return ({}, {"eks_cluster": _EKS_CLUSTER})
        case ("network", "zone"):
            return _zones(value_at(data, ("region",)))
        case ("network", "vpc"):
            network = value_at(data, ("network",))
            given = network if isinstance(network, dict) else {}
            exists = any(given.get(f) for f in (*_SUBNETS, "security_groups"))
            written = str(given.get("vpc", "")).startswith("vpc")
            return (patterns.EXAMPLES[patterns.VPC.regex] if exists or written else "new",)
        case ("network", str(of), int(i), *end) if of in _SUBNETS and end in ([], ["id"]):
            return (f"subnet-{_SUBNETS.index(of):08x}{i:09x}",)
        case (("node_groups" | "queues") as of, int(i), "name"):
            return (f"{of.replace('_', '-')}-{i}",)
        case ("queues", int(), "node_groups"):
            return tuple([name] for name in group_names(data)) or (ABSENT,)
        case (str(of), *_, "instance_type") if of in _TYPES:
            return _TYPES[of]
        case _:
            return ()


def _named(group: Any, index: int) -> Any:
    return {**group, "name": f"node-groups-{index}"} if isinstance(group, dict) else group


def group_names(data: Any) -> list[str]:
    """The names of the node groups, as far as they are readable."""
    groups = value_at(data, ("node_groups",))
    items = groups if isinstance(groups, list) else []
    names = [item.get("name") for item in items if isinstance(item, dict)]
    return [name for name in names if isinstance(name, str)]


def _regions(data: Any) -> tuple[str, ...]:
    """The region of the zone, or the one most similar to the written name."""
    zone, written = value_at(data, ("network", "zone")), value_at(data, ("region",))
    found = regions.region_of_zone(zone) if isinstance(zone, str) else None
    near = regions.nearest(written) if isinstance(written, str) else None
    meant = found or near
    return (meant,) if meant else ("us-east-1", "us-west-2")


def _has_eks_cluster(section: Mapping[str, Any]) -> bool:
    return any("eks_cluster" in form.get("properties", ()) for form in forms(section))


def _zones(region: object) -> tuple[str, ...]:
    known = regions.surveyed_zones().get(region, ()) if isinstance(region, str) else ()
    return (known[0], known[-1]) if known else (f"{region}a", f"{region}b")


def _near(node: Mapping[str, Any], value: Any) -> str:
    """The option that a misspelt word probably means."""
    options = [str(word) for form in forms(node) for word in _options(form)]
    near = values.nearest(value, options) if isinstance(value, str) else []
    return near[0] if near else ""


def _options(form: Mapping[str, Any]) -> tuple[Any, ...]:
    return (form["const"],) if "const" in form else tuple(form.get("enum", ()))


def _example(node: Mapping[str, Any], number: int) -> Any:
    return next(_examples(node, number), ABSENT)


def _examples(node: Mapping[str, Any], number: int) -> Iterator[Any]:
    """Example values for ``node``; ``number`` makes those of several list items different."""
    for form in forms(node):
        match form:
            case {"const": value}:
                yield value
            case {"enum": [*words]}:
                yield from words
            case {"examples": [*examples]}:
                yield from examples
            case {"pattern": pattern} if pattern in patterns.EXAMPLES:
                yield patterns.EXAMPLES[pattern]
            case {"type": "string"}:
                yield f"value-{number}"
            case {"type": "boolean"}:
                yield from (False, True)
            case {"type": "integer" | "number"}:
                yield form.get("minimum", 1)
                yield form.get("maximum", form.get("minimum", 1) + 1)
            case {"type": "array"}:
                yield [_example(form["items"], number)]
            case {"type": "object"}:
                yield _section(form, number)


def _section(form: Mapping[str, Any], number: int) -> dict[str, Any]:
    known = form.get("properties", {})
    section = {key: _example(known[key], number) for key in form.get("required", ())}
    if "instance_types" in known:
        section["instance_type"] = _TYPES["node_groups"][0]
    return section


def _node(path: Path, data: Any) -> Mapping[str, Any]:
    """The schema at ``path``; if there are several sections, that of the written type."""
    node = language()
    for step in path:
        found = (sections.inside(form, step) for form in of_type(list(forms(node)), data))
        node = next((each for each in found if each is not None), {})
        data = value_at(data, (step,))
    here = of_type(list(forms(node)), data)
    return here[0] if len(here) == 1 else node
