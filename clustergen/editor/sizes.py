"""Sizes and throughputs that a file system can have, as they are written in a spec."""

import itertools
from collections.abc import Iterator

from clustergen.editor.outline import Node
from clustergen.facts.catalog import fsx as facts
from clustergen.plan import fsx
from clustergen.spec.quantities import QuantityError, parse_size

_MOST = 12
"""The number of sizes to list; a larger one is typed faster than found."""


def values(key: str, item: Node, at: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Text and detail of the values of ``key`` for the file system ``item``.

    ``at`` are region and zone, which decide on the default deployment.
    """
    type = item.text_at("type")
    if type == "fsx-openzfs" and key == "throughput":
        written = item.text_at("deployment") or "single-az-2"
        kind = facts.openzfs_class(written.upper().replace("-", "_"))
        yield from ((str(each), "MB/s") for each in (kind.throughputs if kind else ()))
    lustre = _lustre(item, at) if type == "fsx-lustre" else None
    if lustre is None:
        return
    if key == "size":
        yield from ((f"{size}GiB", lustre.name.lower()) for size in _sizes(lustre, item))
    elif key == "throughput":
        yield from _throughputs(lustre, item)
    elif key == "metadata_iops":
        steps = fsx.metadata_steps(lustre.storage)
        yield from ((str(each), "IOPS") for each in _first(steps))


def _lustre(item: Node, at: tuple[str, str]) -> facts.LustreClass | None:
    media = item.text_at("storage_class") or "ssd"
    written = item.text_at("deployment") or "auto"
    deployment = written.upper().replace("-", "_")
    if written == "auto":
        features = item.text_at("efa") == "true" or item.child("metadata_iops") is not None
        given = _number(item.text_at("throughput"))
        deployment, _ = fsx.default_deployment(media, throughput=given, features=features, at=at)
    return facts.lustre_class(deployment, media.upper().replace("-", "_"))


def _sizes(kind: facts.LustreClass, item: Node) -> list[int]:
    """The first sizes that some throughput allows, or the one that is written."""
    written = _number(item.text_at("throughput"))
    steps = _all_steps(kind, item, [written] if written else [*kind.throughputs] or [None])
    return sorted({size for each in steps for size in _first(each)})[:_MOST]


def _all_steps(
    kind: facts.LustreClass, item: Node, throughputs: list[int | None]
) -> list[facts.Steps]:
    efa = item.text_at("efa") == "true"
    return [steps for each in throughputs if (steps := kind.sizes(each, efa=efa))]


def _throughputs(kind: facts.LustreClass, item: Node) -> Iterator[tuple[str, str]]:
    if kind.storage is facts.Storage.INTELLIGENT_TIERING:
        yield from ((str(each), "MB/s") for each in _first(facts.INTELLIGENT_TIERING_MBPS))
        return
    size = _size(item.text_at("size"))
    for each in kind.throughputs:
        if size is None or any(s.allows(size) for s in _all_steps(kind, item, [each])):
            yield str(each), fsx.PER_TIB


def _first(steps: facts.Steps) -> Iterator[int]:
    multiples = itertools.takewhile(
        lambda number: steps.most is None or number <= steps.most,
        itertools.count(steps.step, steps.step),
    )
    yield from itertools.islice(itertools.chain(steps.small, multiples), _MOST)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _size(text: str) -> int | None:
    try:
        return parse_size(text)
    except QuantityError:
        return None
