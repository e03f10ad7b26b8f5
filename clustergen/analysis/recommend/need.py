"""What is needed: accelerators or cores, for how long, where, and under which conditions."""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clustergen.base.text_lists import words
from clustergen.facts.catalog import InstanceType, lookup, regions, ultraservers

CORES = "cores"
# Fractions of an L4 and older generations are left out, for no size of theirs is for a cluster.
NAMES = (
    *words("A10G A100 B200 B300 GB200 H100 H200 Inferentia2 L4 L40S"),
    *("RTX PRO 4500", "RTX PRO Server 6000"),
    *words("T4 Trainium Trainium2"),
)
"""All accelerators for training and inference in the catalog, without those of a project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A need; money in USD, time in hours."""

    what: str
    """The accelerator: ``H200``; or :data:`CORES`."""
    types: tuple[InstanceType, ...]
    """The instance types that have it."""
    count: int
    """Accelerators, or physical cores."""
    hours: int
    regions: tuple[str, ...]
    today: datetime.date
    start: datetime.date | None = None
    budget: float | None = None
    targets: tuple[str, ...]
    """The services to consider."""
    interruptible: bool = False
    """Whether work survives the loss of nodes at any time."""


def names() -> tuple[str, ...]:
    """The accelerators that can be asked for: also those of types that the project describes."""
    own = (type.accelerator for type in lookup.containing('"own":true'))
    return (*NAMES, *sorted({one.name for one in own if one} - {*NAMES}))


def nodes_of(type: InstanceType, count: int) -> int:
    """The nodes for this many accelerators or cores; UltraServers come whole."""
    nodes = -(-count // per_node(type))
    servers = ultraservers.containing(type.name) if type.nvlink_domain else ()
    for server in reversed(servers):
        if nodes > server.instances // 2 or server is servers[0]:
            return -(-nodes // server.instances) * server.instances
    return nodes


def per_node(type: InstanceType) -> int:
    """Accelerators of a node; cores of one without any."""
    return type.gpus or type.neuron_devices or type.cores


def types_of(accelerator: str, count: int) -> tuple[InstanceType, ...]:
    """The instance types with this accelerator in sizes that suit ``count``.

    ``A100-80`` asks for at least 80 GB of memory each, and ``none`` for nodes for HPC.
    """
    name, _, memory = accelerator.partition("-")
    if name.lower() == "none":
        found = [type for type in lookup.containing('"hpc') if type.name.startswith("hpc")]
    else:
        least = int(memory) * 1000**3 / 1024**2 if memory.isdigit() else 0
        found = list(_with(name if memory.isdigit() else accelerator, least))
    return tuple(type for family in _families(found) for type in _sizes(family, count))


def _with(accelerator: str, least_mib: float) -> Iterator[InstanceType]:
    wanted = plain(accelerator)
    for name in names():
        if plain(name) == wanted:
            for type in lookup.containing(f'"{name}"'):
                device = type.accelerator
                # A fraction of a GPU counts as none.
                whole = device and device.name == name and device.count
                if device and whole and device.memory_mib >= least_mib:
                    yield type


def plain(name: str) -> str:
    """A name in lower case, with letters and digits only."""
    return "".join(character for character in name.lower() if character.isalnum())


def _families(types: Iterable[InstanceType]) -> Iterator[list[InstanceType]]:
    by_family: dict[str, list[InstanceType]] = {}
    for type in types:
        if per_node(type) and not type.bare_metal:
            by_family.setdefault(type.family, []).append(type)
    yield from by_family.values()


def _sizes(family: Sequence[InstanceType], count: int) -> Iterator[InstanceType]:
    """The largest size that is filled, and the largest one that divides the count."""
    each = sorted({per_node(type) for type in family})
    filled = [size for size in each if size <= count] or each[:1]
    # More than eight nodes with one accelerator are a slow network in place of NVLink.
    even = [size for size in filled if count % size == 0 and (size > 1 or count <= 8)]
    for size in dict.fromkeys((filled[-1], *even[-1:])):
        yield _enough_memory([type for type in family if per_node(type) == size])


def _enough_memory(types: Sequence[InstanceType]) -> InstanceType:
    """The smallest with as much memory as its accelerators have, to load a model through it."""
    ordered = sorted(types, key=lambda type: (type.vcpus, type.memory_mib))

    def enough(type: InstanceType) -> bool:
        device = type.accelerator
        return not device or type.memory_mib >= device.count * device.memory_mib

    return next(filter(enough, ordered), ordered[-1])


def regions_of(text: str) -> tuple[str, ...]:
    """The regions that ``us``, ``eu-west-1`` or ``us-east-1,eu`` means; empty if one is unknown.

    A beginning excludes GovCloud and China, which are other partitions.
    """
    found: list[str] = []
    for part in text.split(","):
        exact = [region for region in regions.REGIONS if region == part]
        start = f"{part.rstrip('-')}-"
        wide = [r for r in regions.REGIONS if r.startswith(start) and _commercial(r)]
        if not exact and not wide:
            return ()
        found += exact or wide
    return tuple(dict.fromkeys(found))


def everywhere() -> tuple[str, ...]:
    """All regions of the commercial partition."""
    return tuple(filter(_commercial, regions.REGIONS))


def _commercial(region: str) -> bool:
    return regions.partition_of(region).name == "aws"
