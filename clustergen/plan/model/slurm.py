"""Slurm in a plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from clustergen.base.findings import Path


@dataclass(frozen=True, slots=True)
class Database:
    """An external accounting database."""

    endpoint: str
    port: int
    database: str | None
    user: str
    secret: str


@dataclass(frozen=True, slots=True)
class Account:
    """A Slurm account; ``qos`` are those that its jobs can request, besides normal."""

    path: Path
    name: str
    parent: str | None
    fair_share: int
    users: tuple[str, ...]
    qos: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Qos:
    """A Slurm QOS; ``preempts`` has the names of other QOS."""

    path: Path
    name: str
    priority: int
    preempts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slurm:
    """``accounting`` is off, managed, or an external database; ``idle_timeout`` in seconds,
    None if idle nodes never stop."""

    version: str | None
    accounting: Literal["off", "managed"] | Database
    accounts: tuple[Account, ...]
    qos: tuple[Qos, ...]
    idle_timeout: int | None
    settings: Mapping[str, str]
    slurmdbd_settings: Mapping[str, str]
    cgroup_settings: Mapping[str, str]
