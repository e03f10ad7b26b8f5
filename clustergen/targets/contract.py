"""Checks that a target is complete, when it is loaded.

The error tells authors of a target in one sentence what is missing.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Iterator

from clustergen.plan.features import FEATURES
from clustergen.targets.target import IncompleteTarget, Target


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
    """Check that the compiled language has the target's options, if it has any."""
    from clustergen.spec import target_fields  # loads the language, which no list of targets needs

    own = {field.name for field in dataclasses.fields(target.traits.options)}
    section = target.traits.section
    if section in target_fields():
        written = target_fields()[section] - {"overlay"}
        if changed := sorted(written ^ own):
            program = "run `python -m tools.spec.build`"
            yield f"the language does not have {', '.join(changed)} as the options do: {program}"
    elif section or own:
        yield f"the language has no section targets.{section} for its options"


def _of_support(target: Target) -> Iterator[str]:
    known = {feature.id for feature in FEATURES}
    if missing := sorted(known - target.support.keys()):
        yield f"support lacks {', '.join(missing)}"
    if unknown := sorted(target.support.keys() - known):
        yield f"support lists {', '.join(unknown)}, which are no features"
