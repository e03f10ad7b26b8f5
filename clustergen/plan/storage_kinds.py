"""The storage of a plan by kind, and its names in findings."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from clustergen.plan.model import Efs, Lustre, OpenZfs, Plan, Storage

S = TypeVar("S", bound=Storage)


def every(plan: Plan, kind: type[S]) -> Iterator[S]:
    """All storage of one kind, in the order of the spec."""
    return (item for item in plan.storage if isinstance(item, kind))


def new(plan: Plan, kind: type[S]) -> Iterator[S]:
    """The storage of one kind that will be created."""
    return (item for item in every(plan, kind) if not item.existing)


def created(plan: Plan) -> tuple[Lustre | OpenZfs | Efs, ...]:
    """The file systems that the foundation creates; the head node's stack creates EBS volumes."""
    return tuple(
        s
        for s in plan.storage
        if isinstance(s, Lustre | OpenZfs | Efs) and not s.existing and not s.by_cluster
    )


def identified(plan: Plan) -> list[Storage]:
    """The storage whose id is known: that of what the cluster creates, only its stack knows."""
    return [item for item in plan.storage if item.id and not item.by_cluster]


def spelled(constant: str) -> str:
    """The spec's spelling of an API constant: ``persistent-2`` for ``PERSISTENT_2``."""
    return constant.lower().replace("_", "-")


def title(item: Lustre) -> str:
    """``persistent-2 ssd``."""
    return f"{spelled(item.deployment)} {spelled(item.storage_class)}"


def either(values: Iterable[object], unit: str = "") -> str:
    """``2400GiB or 4800GiB``."""
    return " or ".join(f"{value}{unit}" for value in values)


def listed(values: Iterable[object]) -> str:
    """``125, 250, 500``."""
    return ", ".join(str(value) for value in values)
