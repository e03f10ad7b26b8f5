"""The ``${Name}`` placeholders of rendered documents, and the files that hold their values.

A placeholder stands for an output of the foundation stack and has its name: ``${PrivateSubnetId}``.
Similar text, such as ``${HOME}`` or ``${AWS::Region}``, is not a placeholder and stays unchanged.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clustergen.base.findings import Finding
from clustergen.base.patterns import pattern
from clustergen.spec.placeholders.rules.outputs import AMBIGUOUS, NOT_OUTPUTS, UNFILLED, UNREADABLE

# Begins with a capital letter and has a lower-case one: HOME and PATH are shell variables.
PLACEHOLDER = pattern(r"\$\{(?=[A-Z0-9]*[a-z])([A-Z][A-Za-z0-9]*)\}")
# Ids, names and ARNs. Other characters could end the text around the placeholder.
_VALUE = pattern(r"[\w.:/@+=,-]+", re.ASCII)
_HELP = "give the foundation's outputs: aws cloudformation describe-stacks --stack-name NAME"


def names(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def fill(text: str, outputs: Mapping[str, str]) -> tuple[str, list[str]]:
    """``text`` with its placeholders replaced, and the names without a value in ``outputs``.

    A value that is not an id, a name or an ARN counts as missing. Placeholders in the values
    themselves are not replaced.
    """
    values = {name: value for name, value in outputs.items() if _VALUE.fullmatch(value)}
    filled = PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
    return filled, sorted(names(text) - values.keys())


def unfilled(path: str, missing: Iterable[str]) -> list[Finding]:
    """A finding for each name without a value in the file ``path`` of a bundle."""
    return [
        UNFILLED.at((), f"{path} needs {name}, which is not among the outputs", help=_HELP)
        for name in missing
    ]


def read_outputs(path: str | os.PathLike[str]) -> tuple[dict[str, str], list[Finding]]:
    """Stack outputs from a JSON file, by name.

    The file comes from ``cdk deploy --outputs-file`` (``{stack: {name: value}}``) or ``aws
    cloudformation describe-stacks`` (all of it, or only the list of outputs), or is plain ``{name:
    value}``. Names with several values are omitted, with a finding.
    """
    try:
        with open(path, encoding="utf-8-sig") as stream:
            document = json.load(stream)
    except (OSError, ValueError, RecursionError) as error:
        return {}, [_unreadable(path, error)]
    found: dict[str, set[str]] = {}
    for name, value in _outputs(document):
        found.setdefault(name, set()).add(value)
    if not found:
        return {}, [NOT_OUTPUTS.at((), f"{path} contains no stack outputs", help=_HELP)]
    outputs = {name: min(values) for name, values in found.items() if len(values) == 1}
    return outputs, _ambiguous(path, sorted(found.keys() - outputs.keys()))


def _unreadable(path: str | os.PathLike[str], error: Exception) -> Finding:
    if isinstance(error, OSError):
        return UNREADABLE.at((), f"cannot read {path}: {(error.strerror or str(error)).lower()}")
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return UNREADABLE.at((), f"{path} is not JSON: {reason}", help="add --output json")


def _ambiguous(path: str | os.PathLike[str], several: list[str]) -> list[Finding]:
    if not several:
        return []
    message = f"{path} has several values for {', '.join(several)}: none of them is used"
    return [AMBIGUOUS.at((), message, help="keep the stack of this cluster only")]


def _outputs(document: Any) -> Iterator[tuple[str, str]]:
    """Name and value of every output, from any of the accepted forms."""
    if isinstance(document, list):
        for item in document:
            yield from _outputs(item)
    elif not isinstance(document, dict):
        return
    elif isinstance(name := document.get("OutputKey"), str):
        if isinstance(value := document.get("OutputValue"), str):
            yield name, value
    elif "Stacks" in document or "StackName" in document:
        yield from _outputs(document.get("Stacks"))
        yield from _outputs(document.get("Outputs"))
    else:
        for name, value in document.items():
            if isinstance(value, str):
                yield name, value
            else:
                yield from _outputs(value)
