"""Placeholders in text, and their replacement."""

import re
from collections.abc import Mapping

from clustergen.base.patterns import pattern

# Begins with a capital letter and has a lower-case one: HOME and PATH are shell variables.
PLACEHOLDER = pattern(r"\$\{(?=[A-Z0-9]*[a-z])([A-Z][A-Za-z0-9]*)\}")
# Ids, names and ARNs. Other characters could end the text around the placeholder.
_VALUE = pattern(r"[\w.:/@+=,-]+", re.ASCII)


def names(text: str) -> set[str]:
    """The names of the placeholders in ``text``."""
    return set(PLACEHOLDER.findall(text))


def fill(text: str, outputs: Mapping[str, str]) -> tuple[str, list[str]]:
    """``text`` with its placeholders replaced, and the names without a value in ``outputs``.

    A value that is not an id, a name or an ARN counts as missing. Placeholders in the values
    themselves are not replaced.
    """
    values = {name: value for name, value in outputs.items() if _VALUE.fullmatch(value)}
    filled = PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
    return filled, sorted(names(text) - values.keys())
