"""User text with characters that other programs would interpret."""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clustergen.base.findings import Path, Problem, rule
from clustergen.base.patterns import pattern
from clustergen.spec import Spec
from clustergen.spec.placeholders import PLACEHOLDER
from clustergen.spec.source.characters import visible

_LINE_ENDS = pattern(r"[\x00-\x1f\x7f]")
_DYNAMIC = pattern(r"\{\{resolve:")
_SECTIONS = ("overlay", "settings", "slurmdbd_settings", "cgroup_settings", "slurm")
"""Sections with separate rules: overlays may use placeholders, settings have tables."""


@rule(
    "SPC037",
    "Text that looks like a placeholder",
    why="${Name} stands for an output of the foundation's stack in the files of a bundle. Text of "
    "this form would be replaced, or stop deploy.sh.",
    source="the language, version 1",
    bad="software: {scripts: [{run: 's3://bucket/a.sh', args: ['${JobName}']}]}",
    good="software: {scripts: [{run: 's3://bucket/a.sh', args: ['$JobName']}]}",
)
def placeholders(spec: Spec) -> Iterator[Problem]:
    for path, text in _texts_with(PLACEHOLDER, spec, without=("overlay",)):
        if found := PLACEHOLDER.search(text):
            yield Problem(
                path,
                f"{found[0]} is a placeholder in the files of a bundle",
                help=f"write it in another form, e.g. ${found[1]} or ${{{found[1].upper()}}}",
            )


@rule(
    "SPC038",
    "Line end or control character in a text",
    why="The text becomes part of a file with one entry on a line, or of a name.",
    source="the language, version 1",
    bad='node_groups: [{name: h200, labels: {team: "a\\nb"}}]',
    good="node_groups: [{name: h200, labels: {team: a-b}}]",
)
def control_characters(spec: Spec) -> Iterator[Problem]:
    for path, text in _texts_with(_LINE_ENDS, spec, without=_SECTIONS):
        argument = path[:2] == ("software", "scripts") and "args" in path
        found = None if argument else _LINE_ENDS.search(text)
        if found:
            what = "a line end" if found[0] in "\r\n" else f"the character {visible(found[0])!r}"
            yield Problem(path, f"the text contains {what}", help="write it on one line")


@rule(
    "SPC039",
    "Text that looks like a dynamic reference",
    why="CloudFormation replaces {{resolve:...}} with the value of a parameter or secret, which "
    "everybody who can read the template's resources then sees.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html",
    bad="software: {scripts: [{run: 's3://bucket/a.sh', args: ['{{resolve:ssm:key}}']}]}",
    good="software: {scripts: [{run: 's3://bucket/a.sh', args: [key]}]}",
)
def dynamic_references(spec: Spec) -> Iterator[Problem]:
    for path, _ in _texts_with(_DYNAMIC, spec, without=("overlay",)):
        yield Problem(
            path,
            "CloudFormation would replace {{resolve:...}} in this text",
            help="write the value itself; overlays may contain such references",
        )


def _texts_with(
    searched: re.Pattern[str], spec: Spec, *, without: tuple[str, ...]
) -> Iterator[tuple[Path, str]]:
    if searched.search(_joined(spec)):  # hardly ever, and places take longer
        texts = _texts(spec, (), without=without)
        yield from ((path, text) for path, text in texts if searched.search(text))


@functools.lru_cache(maxsize=1)  # the rules here ask for the same spec, after each other
def _joined(spec: Spec) -> str:
    """All texts of a spec, with spaces between them: nothing that is searched for has one."""
    return " ".join(_all_texts(spec))


def _all_texts(spec: Spec) -> Iterator[str]:
    waiting: list[Any] = [spec]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif hasattr(value, "__pydantic_fields_set__"):
            waiting += vars(value).values()
        elif isinstance(value, list):
            waiting += value
        # Most other values are numbers; asking whether they are mappings takes long.
        elif not isinstance(value, int | None) and isinstance(value, Mapping):
            waiting += (*value, *value.values())


def _texts(value: Any, path: Path, *, without: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """All texts of a spec, including keys of mappings, with their places."""
    for step, inner in _parts(value, path, without):
        if isinstance(inner, str):
            yield (*path, step), inner
        elif isinstance(inner, Mapping):
            yield from (((*path, step, key), key) for key in inner)
            yield from _texts(inner, (*path, step), without=without)
        elif isinstance(inner, list) or hasattr(inner, "__pydantic_fields_set__"):
            yield from _texts(inner, (*path, step), without=without)


def _parts(value: Any, path: Path, without: tuple[str, ...]) -> Iterable[tuple[str | int, Any]]:
    """What is in a mapping, a list or a section of a spec, by key or index."""
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, list):
        return enumerate(value)
    # `slurm` has other keys besides settings; node groups and queues do not.
    return (
        (_key(name, path), inner)
        for name, inner in vars(value).items()
        if inner is not None and (name not in without or (name == "slurm" and not path))
    )


def _key(field: str, path: Path) -> str:
    """The key of a field, as written in the spec."""
    return field.rstrip("_").replace("_", "-") if path == ("targets",) else field.rstrip("_")
