"""Keys of YAML that ParallelCluster's own reader does not accept: ``pcluster.utils.yaml_load``."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from clustergen.base.findings import Finding, Path
from clustergen.importing.reading import Source
from clustergen.importing.rules import losses


def unreadable(source: Source) -> Iterator[Finding]:
    """Keys that are given twice, and merge keys."""
    for path in source.merged:
        message = "ParallelCluster accepts no merge key (<<)"
        yield losses.UNREADABLE.at(path, message, help="write the keys out")
    if not source.merged:
        yield from _repeated(source.root)


def _repeated(node: yaml.Node | None, path: Path = ()) -> Iterator[Finding]:
    if isinstance(node, yaml.SequenceNode):
        for index, each in enumerate(node.value):
            yield from _repeated(each, (*path, index))
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                message = f"{name} is given twice; the last one is imported"
                yield losses.UNREADABLE.at((*path, name), message, help="keep one")
            seen.add(name)
            yield from _repeated(value, (*path, name))
