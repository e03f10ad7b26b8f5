"""Checks that a target is complete, when it is loaded.

The error tells authors of a target in one sentence what is missing.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clustergen.features import FEATURES

if TYPE_CHECKING:
    from clustergen.targets import Target


class IncompleteTarget(TypeError):
    """An incomplete target; the message names the missing part in one sentence."""


def verify(name: str, target: Target) -> Target:
    """Check ``target``, which is registered as ``name``.

    :raises IncompleteTarget: with the first missing part.
    """
    for problem in _problems(name, target):
        raise IncompleteTarget(f"target {name}: {problem}")
    return target


def _problems(name: str, target: Target) -> Iterator[str]:
    if target.name != name:
        yield f"its traits call it {target.name!r}"
    if not (target.title and target.limits.title):
        yield "title or limits.title is empty, the name that messages use"
    yield from _of_options(target)
    yield from _of_support(target)
    if not target.schema.path.is_file():
        yield f"missing schema {target.schema.path.name}"
    for module in filter(None, (target.emitter, target.fee_module)):
        if importlib.util.find_spec(module) is None:
            yield f"missing module {module}"


def _of_options(target: Target) -> Iterator[str]:
    """Check that the options have the fields of the target's section of the spec, if any."""
    from clustergen.spec import (
        target_fields,
    )  # loads pydantic, which listing the targets does not need

    own = {field.name for field in dataclasses.fields(target.traits.options)}
    section = target.traits.section
    if section not in target_fields():
        if section or own:
            yield f"the language has no section targets.{section} for its options"
        return
    written = target_fields()[section] - {"overlay"}
    if missing := sorted(written - own):
        yield f"options lack {', '.join(missing)} of the section targets.{section}"
    if unknown := sorted(own - written):
        yield f"the section targets.{section} lacks {', '.join(unknown)} of its options"


def _of_support(target: Target) -> Iterator[str]:
    known = {feature.id for feature in FEATURES}
    if missing := sorted(known - target.support.keys()):
        yield f"support lacks {', '.join(missing)}"
    if unknown := sorted(target.support.keys() - known):
        yield f"support lists {', '.join(unknown)}, which are no features"
