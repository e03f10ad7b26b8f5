"""What can be written as the value of a field: options, names, and facts of the catalog."""

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from clustergen import targets
from clustergen.base.findings import Path
from clustergen.editor import fields, sizes
from clustergen.editor.outline import Kind, Node, generic
from clustergen.editor.scope import Scope, name_at
from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType, mig, regions, show, slurm
from clustergen.services.eks.versions import VERSIONS


class Value(NamedTuple):
    """Something to write."""

    text: str
    detail: str = ""
    """A few words beside it."""
    rank: int = 0
    """Values with a lower rank are listed first."""


class Asked(NamedTuple):
    path: Path
    root: Node
    scope: Scope


def values(asked: Asked) -> list[Value]:
    """The values that fit at a place, best first."""
    find = next((find for holds, find in _SOURCES if holds(asked)), None)
    found = [*find(asked)] if find else []
    if not found or find not in _COMPLETE:
        found = [*_from_language(asked), *found]
    return sorted({value.text: value for value in found}.values(), key=lambda value: value.rank)


def keys(asked: Asked) -> Iterator[Value]:
    """Keys that are not in the language, but in the catalog: Slurm's, and partitions of GPUs."""
    scope = _SLURM.get(generic(asked.path))
    if scope:
        for key in slurm.current(scope):
            yield Value(key.name, ", ".join(key.of[:_FEW]))
    if generic(asked.path) == ("node_groups", "*", "mig"):
        for type in _types_of_group(asked):
            for profile in mig.profiles(type):
                gpu = type.accelerator.name if type.accelerator else "GPU"
                yield Value(profile.name, f"at most {profile.most} on each {gpu}")


_FEW = 4
_SLURM: dict[Path, slurm.Scope] = {
    ("slurm", "settings"): "cluster",
    ("slurm", "slurmdbd_settings"): "slurmdbd",
    ("slurm", "cgroup_settings"): "cgroup",
    ("node_groups", "*", "slurm"): "node",
    ("queues", "*", "slurm"): "partition",
}


def _types_of_group(asked: Asked) -> list[InstanceType]:
    at, text_at = asked.path[:2], asked.root.text_at
    found = catalog.find(text_at(*at, "instance_type") or text_at(*at, "instance_types", 0))
    return [found] if found else []


def _from_language(asked: Asked) -> Iterator[Value]:
    found = fields.field(asked.path, asked.root)
    usual = fields.default(found.schema) if found else ""
    for form in fields.forms(asked.path, asked.root):
        for word in fields.options(form):
            yield Value(word, "default" if word == usual else "")
    if usual and found and not fields.options(found.schema):
        yield Value(usual, "default")


def _instance_types(asked: Asked) -> Iterator[Value]:
    zone = asked.scope.zone if regions.is_zone_id(asked.scope.zone) else ""
    yield from _ranked(asked.scope.region, zone, asked.path[0] == "node_groups")


@functools.lru_cache(maxsize=8)
def _ranked(region: str, zone: str, for_jobs: bool) -> tuple[Value, ...]:
    """All instance types: those that the place offers first, and that suit the kind of node."""
    found: list[tuple[int, float, Value]] = []
    for type, facts in known_types():
        missing = _is_missing(type, region, zone)
        strength = type.efa + (type.accelerator is not None)
        rank = (_STRONGEST - strength if for_jobs else strength) + _MISSING * missing
        about = f"not in {zone or region}: {facts}" if missing else facts
        found.append((rank, -type.network_gbps if for_jobs else 0, Value(type.name, about, rank)))
    return tuple(value for *_, value in sorted(found))


_STRONGEST, _MISSING = 2, 3


def _is_missing(type: InstanceType, region: str, zone: str) -> bool:
    """Whether the zone, or no zone of the region, is known not to offer the type."""
    known = zone in regions.surveyed_zones().get(region, ())
    return (type.offered_in_zone(zone) if known else type.offered_in(region)) is False


@functools.cache
def known_types() -> tuple[tuple[InstanceType, str], ...]:
    """All instance types of the catalog, with their facts in a line."""
    return tuple((type, _facts(type)) for type in catalog.every())


def forget() -> None:
    """Forget all instance types, because a project may have described others."""
    known_types.cache_clear()
    _ranked.cache_clear()


def _facts(type: InstanceType) -> str:
    return " ".join(show.as_line(type).split()[1:])


def _regions(_: Asked) -> Iterator[Value]:
    for region in regions.REGIONS:
        partition = regions.partition_of(region).name
        yield Value(region, partition if partition != "aws" else "", int(partition != "aws"))


def _zones(asked: Asked) -> Iterator[Value]:
    for zone in regions.surveyed_zones().get(asked.scope.region, ()):
        missing = [t.name for t in asked.scope.types() if t.offered_in_zone(zone) is False]
        detail = f"without {', '.join(missing)}" if missing else ""
        yield Value(zone, detail, len(missing))


def _names(asked: Asked) -> Iterator[Value]:
    name = name_at(asked.path)
    for place in asked.scope.definitions(name) if name else ():
        around = place.node.parent
        word = around.text_at("instance_type") if around else ""
        type = catalog.find(word)
        detail = f"{word}: {_facts(type)}" if type else word
        yield Value(place.node.text, detail or (name.title if name else ""))


def _slurm_values(asked: Asked) -> Iterator[Value]:
    key = slurm.find(_SLURM[generic(asked.path[:-1])], str(asked.path[-1]))
    yield from map(Value, key.of if key else ())


def _partitions(asked: Asked) -> Iterator[Value]:
    for type in _types_of_group(asked):
        profile = mig.profile(type, str(asked.path[-1]))
        if profile:
            yield Value(str(profile.most), "the most on one GPU")


def _slurm_versions(asked: Asked) -> Iterator[Value]:
    named = asked.root.child("targets")
    for target in map(targets.load, (named and named.keys()) or targets.NAMES):
        yield from (Value(name, target.name) for name in reversed(target.limits.slurm_versions))


def _kubernetes_versions(_: Asked) -> Iterator[Value]:
    for version in sorted(VERSIONS.values(), key=lambda version: version.name, reverse=True):
        until = version.standard_until
        yield Value(version.name, f"standard support until {until}" if until else "")


def _sizes(asked: Asked) -> Iterator[Value]:
    item = asked.root.find(asked.path[:2])
    if item and item.kind is Kind.MAP:
        at = (asked.scope.region, asked.scope.zone)
        yield from (Value(*found) for found in sizes.values(str(asked.path[-1]), item, at))


def _is_defined_elsewhere(asked: Asked) -> bool:
    name = name_at(asked.path)
    return name is not None and generic(asked.path) in name.used


_Source = tuple[Callable[[Asked], bool], Callable[[Asked], Iterator[Value]]]
_SOURCES: tuple[_Source, ...] = (
    (lambda asked: asked.path[-1:] == ("instance_type",), _instance_types),
    (lambda asked: asked.path[-2:-1] == ("instance_types",), _instance_types),
    (lambda asked: asked.path == ("region",), _regions),
    (lambda asked: asked.path[0] == "network" and asked.path[-1] == "zone", _zones),
    (lambda asked: asked.path == ("slurm", "version"), _slurm_versions),
    (lambda asked: asked.path == ("kubernetes", "version"), _kubernetes_versions),
    (_is_defined_elsewhere, _names),
    (lambda asked: generic(asked.path[:-1]) in _SLURM, _slurm_values),
    (lambda asked: generic(asked.path[:-1]) == ("node_groups", "*", "mig"), _partitions),
    (lambda asked: generic(asked.path[:-1]) == ("storage", "*"), _sizes),
)
_COMPLETE = (_instance_types, _slurm_values)
"""Those that have everything that the language allows."""
