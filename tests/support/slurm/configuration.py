"""Slurm's files as a service writes them for a bundle."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType

Lines = tuple[str, ...]
MEMORY_SHARE = 0.95
"""Of a node's memory, what jobs can have: `slurm_node_reg_mem_percent` is a share of this."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes ``name-1`` to ``name-count``; ``words`` are those of their line in slurm.conf."""

    name: str
    group: str
    count: int
    type: InstanceType
    words: Mapping[str, str]

    @property
    def first(self) -> str:
        return f"{self.name}-1"

    @property
    def all(self) -> str:
        return f"{self.name}-[1-{self.count}]"

    @property
    def gpus(self) -> int:
        return self.type.gpus

    def devices(self) -> str:
        """The line of gres.conf with which the services name the GPUs of a type."""
        last = self.gpus - 1
        kind = gpu_type(self.type)
        return f"NodeName={self.all} Name=gpu Type={kind} File=/dev/nvidia[0-{last}]"


@dataclass(frozen=True, slots=True)
class Configuration:
    """All that Slurm reads, without what belongs to the machine that it runs on."""

    cluster: Lines
    nodes: tuple[Nodes, ...]
    partitions: Lines
    gres: Lines = ()
    cgroup: Lines = ()
    topology: Lines = ()
    accounting: bool = False
    slurmdbd: Lines = ()
    accounts: str = ""
    """The script with which the bundle makes accounts."""
    accounts_table: str = ""
    programs: Mapping[str, str] = field(default_factory=dict)
    """Scripts by their path, which the service installs."""


def instance_type(name: str) -> InstanceType:
    found = catalog.find(name)
    assert found, name
    return found


def gpu_type(type: InstanceType) -> str:
    """How ParallelCluster and PCS call the GPUs of a type in Gres: h200, l40s."""
    assert type.accelerator
    return type.accelerator.name.lower().replace(" ", "")


def node_words(type: InstanceType, cpus: int, own: Mapping[str, str]) -> dict[str, str]:
    """What a service says about nodes; what the bundle says replaces it."""
    gpus = {"Gres": f"gpu:{gpu_type(type)}:{type.gpus}"} if type.gpus else {}
    memory = str(int(type.memory_mib * MEMORY_SHARE))
    return {"CPUs": str(cpus), "RealMemory": memory, "State": "CLOUD", **gpus, **own}


def assignments(settings: Mapping[str, str]) -> Lines:
    return tuple(f"{name}={value}" for name, value in settings.items())


def line(name: str, value: str, words: Mapping[str, str]) -> str:
    """A line of slurm.conf about one thing."""
    return " ".join((f"{name}={value}", *assignments(words)))


def named(nodes: Iterable[Nodes]) -> str:
    return ",".join(each.all for each in nodes)


def text(*parts: Iterable[str]) -> str:
    return "".join(f"{line}\n" for part in parts for line in part)


def lines(block: str) -> Iterator[str]:
    return (line for line in block.splitlines() if line)
