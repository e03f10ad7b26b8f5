"""Reads the definition of alerts and dashboards: the YAML files of ``alerts`` and ``boards``."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from clustergen.services.monitoring.sources import Source

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NONE: Final[Mapping[str, str]] = {}


def read(path: Path, words: Mapping[str, str] = _NONE) -> Any:
    """What a file says, with the values of ``words`` in place of ``$WORD``."""
    text = path.read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"${word}", value)
    return yaml.load(text, _LOADER)  # noqa: S506 a safe loader


def fed_by(names: Iterable[str]) -> frozenset[Source]:
    """The sources with these names."""
    return frozenset(map(Source, names))
