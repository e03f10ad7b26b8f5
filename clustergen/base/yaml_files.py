"""Reads YAML, with libyaml where it is installed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Makes no objects of Python."""


def read(path: Path, words: Mapping[str, str] = {}) -> Any:
    """What a file of the package says, with the values of ``words`` in place of ``$WORD``."""
    text = path.read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"${word}", value)
    return yaml.load(text, LOADER)  # noqa: S506 a safe loader
