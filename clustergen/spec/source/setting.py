"""``--set PATH=VALUE``: one value of a spec, changed from the command line.

A path consists of keys and dots. List items are selected by index, ``[0]``, or by ``name``:
``node_groups.h200.count=4``. Keys with a dot are quoted: ``tags."a.b/c"=x``.
"""

import difflib
from dataclasses import replace

from clustergen.base import secrets
from clustergen.base.findings import Finding, Path
from clustergen.base.patterns import pattern
from clustergen.spec.source import limits
from clustergen.spec.source.nodes import Entries, Items, Node, Place, Text, dotted
from clustergen.spec.source.parse import parse
from clustergen.spec.source.rules.files import SET

_STEP = pattern(r'\.?(?:"(?P<quoted>[^"]*)"|(?P<key>[^.\[\]="\s]+))|\[(?P<index>[0-9]{1,6})\]')
_NAME_WIDTH = 60


class _Refused(Exception):
    def __init__(self, message: str, help: str, path: Path = ()) -> None:
        self.message, self.help, self.path = message, help, path
        super().__init__(message)


def apply_set(root: Node, argument: str) -> tuple[Node, list[Finding]]:
    """``root`` with one ``--set`` argument applied, or unchanged with a finding."""
    shown = argument.encode("utf-8", "replace").decode()
    text = Text.of("", shown)
    text = replace(text, name=f"--set {text.lines[0][:_NAME_WIDTH]}")
    try:
        path, start = _path(shown)
        value, findings = _value(shown, start, text)
        key = Place(text, 0, 0, 0, max(start - 1, 1))
        if value is None:
            return root, findings
        return _changed(root, path, replace(value, key=key), ()), findings
    except _Refused as refused:
        refusal = SET.at(refused.path, refused.message, help=refused.help)
        finding = secrets.masked(refusal, text.unshown())
        return root, [finding.placed(Place(text, 0, 0, 0, len(text.lines[0])).span())]


def _path(argument: str) -> tuple[list[str | int], int]:
    """The steps before the ``=``, and the column where the value begins."""
    steps: list[str | int] = []
    column = 0
    while match := _STEP.match(argument, column):
        if (match[0][0] == ".") != bool(steps) and match["index"] is None:
            break
        steps.append(int(match["index"]) if match["index"] else match["quoted"] or match["key"])
        column = match.end()
    if not steps or argument[column : column + 1] != "=" or len(steps) > limits.DEPTH:
        raise _Refused("this is not PATH=VALUE", "write it as --set node_groups.h200.count=4")
    return steps, column + 1


def _value(argument: str, start: int, text: Text) -> tuple[Node | None, list[Finding]]:
    """The parsed YAML value, or ``None`` with findings."""
    # Blanks in place of the path keep the columns of the argument.
    node, findings = parse(" " * start + argument[start:], text)
    if node is None and findings:
        return None, findings
    if node is None or (node.value is None and not node.at.one_line):
        raise _Refused("there is no value after =", "write null to delete, \"''\" for empty text")
    if node.at.end_line == 0 and argument[node.at.end_column :].strip():
        lost = argument[node.at.end_column :].strip()
        raise _Refused(f"{lost} would be read as a comment", "put the value in quotes")
    return node, findings


def _changed(node: Node | None, path: list[str | int], value: Node, done: Path) -> Node:
    """``node`` with ``value`` at ``path``; ``done`` is the part of the path above ``node``."""
    if not path:
        return value
    if node is not None and isinstance(node.value, tuple):
        return replace(node, value=_changed_items(node.value, path, value, done))
    if node is None or node.value is None:
        node = Node({}, value.at, value.key)
    if not isinstance(node.value, dict):
        raise _Refused(f"{dotted(done)} is a single value", "set the value itself", done)
    return replace(node, value=_changed_entries(node.value, path, value, done))


def _changed_entries(entries: Entries, path: list[str | int], value: Node, done: Path) -> Entries:
    step = path[0]
    if isinstance(step, int):
        raise _Refused(f"{dotted(done)} is not a list", "name a key, not an index", done)
    if step not in entries and value.value is None:
        raise _Refused(f"{dotted((*done, step))} does not exist", _nearest(step, entries))
    if len(path) == 1 and value.value is None:
        return {key: child for key, child in entries.items() if key != step}
    return {**entries, step: _changed(entries.get(step), path[1:], value, (*done, step))}


def _changed_items(items: Items, path: list[str | int], value: Node, done: Path) -> Items:
    index = _index(items, path[0], done)
    if len(path) == 1 and value.value is None:
        return items[:index] + items[index + 1 :]
    changed = _changed(items[index], path[1:], value, (*done, index))
    return (*items[:index], changed, *items[index + 1 :])


def _index(items: Items, step: str | int, done: Path) -> int:
    names = {str(name.value): n for n, item in enumerate(items) if (name := item.child("name"))}
    if isinstance(step, str):
        if step in names:
            return names[step]
        message = f"{dotted(done)} has no item named {step}"
        raise _Refused(message, _nearest(step, names) if names else _by_index(items, done), done)
    if step >= len(items):
        message = f"{dotted(done)} has {len(items)} items, and no [{step}]"
        raise _Refused(message, "indexes begin with 0", done)
    return step


def _nearest(word: str, known: dict[str, Node] | dict[str, int]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"there is {', '.join(known)}" if known else "it is empty"


def _by_index(items: Items, path: Path) -> str:
    """How to select an item of a list whose items have no names."""
    if not items:
        return f"the list is empty; write its items: --set '{dotted(path)}=[...]'"
    last = f" to {dotted((*path, len(items) - 1))}" if len(items) > 1 else ""
    return f"its items have no names; select one by its index: {dotted((*path, 0))}{last}"
