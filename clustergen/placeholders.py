"""The ``${Name}`` placeholders of rendered documents, and the files that hold their values.

A placeholder stands for an output of the foundation stack, and is written as outputs are named:
``${PrivateSubnetId}``. Other text of the kind, such as ``${HOME}`` or ``${AWS::Region}``, is no
placeholder and stays as it is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clustergen.findings import Finding, Rule, Severity

UNREADABLE = Rule(
    code="SPC040",
    title="the file of stack outputs cannot be read",
    why="Its values fill the placeholders of the rendered documents.",
    source="clustergen",
)
NOT_OUTPUTS = Rule(
    code="SPC041",
    title="the file does not hold stack outputs",
    why="Values come from `cdk deploy --outputs-file FILE` or from `aws cloudformation "
    "describe-stacks --output json`.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html",
)
AMBIGUOUS = Rule(
    code="SPC042",
    title="several stacks give different values for one output",
    why="Which of them the cluster belongs to cannot be told from the file.",
    source="clustergen",
    severity=Severity.NOTE,
)
UNFILLED = Rule(
    code="SPC043",
    title="a placeholder has no value",
    why="A document never reaches a service with a placeholder left in it.",
    source="clustergen",
)
RULES: Final = (UNREADABLE, NOT_OUTPUTS, AMBIGUOUS, UNFILLED)

_HELP = "give the foundation's outputs: aws cloudformation describe-stacks --stack-name NAME"

# Begins with a capital letter and has a small one: HOME and PATH are a shell's.
_PLACEHOLDER = re.compile(r"\$\{(?=[A-Z0-9]*[a-z])([A-Z][A-Za-z0-9]*)\}")
# Ids, names and ARNs. What else a value may hold could end the text that it is put into.
_VALUE = re.compile(r"[\w.:/@+=,-]+", re.ASCII)


def names(text: str) -> set[str]:
    """The names of the placeholders in ``text``."""
    return set(_PLACEHOLDER.findall(text))


def fill(text: str, outputs: Mapping[str, str]) -> tuple[str, list[str]]:
    """``text`` with its placeholders replaced, and the names that ``outputs`` has no value for.

    A value that is not an id, a name or an ARN is as good as none. What replaced text says is not
    looked into again.
    """
    values = {name: value for name, value in outputs.items() if _VALUE.fullmatch(value)}
    filled = _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
    return filled, sorted(names(text) - values.keys())


def unfilled(path: str, missing: Iterable[str]) -> list[Finding]:
    """A finding for each name that the file at ``path`` of a bundle still needs."""
    return [
        UNFILLED.at((), f"{path} needs {name}, which the outputs do not give", help=_HELP)
        for name in missing
    ]


def read_outputs(path: str | os.PathLike[str]) -> tuple[dict[str, str], list[Finding]]:
    """The stack outputs in a JSON file, by name.

    The file is what ``cdk deploy --outputs-file`` writes (``{stack: {name: value}}``), what ``aws
    cloudformation describe-stacks`` prints, the list of outputs in that, or plain ``{name:
    value}``. Names with several values are left out, and said.
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
        return {}, [NOT_OUTPUTS.at((), f"{path} holds no stack outputs", help=_HELP)]
    several = sorted(name for name, values in found.items() if len(values) > 1)
    return {name: min(found[name]) for name in found if name not in several}, _ambiguous(
        path, several
    )


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
    """Name and value of every output, in whichever of the known forms."""
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
