"""Which small faults in the package no test finds: ``python -m tools.tests.mutants``.

Each mutant is the package with one change: another comparison, another number, `or` for `and`. Its
tests are those of the folder that mirrors it, the golden bundles, and the examples of the rules, in
a copy of the checkout. A survivor that changes what is rendered or found needs a test.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.changed import folders
from tests.support.paths import ROOT

EVERY = ("tests/golden", "tests/rules/test_examples.py")
LINKED = (".venv", ".validators", "node_modules")
LIMIT_SECONDS = 1800
"""Of one mutant: a loop may not end."""
_SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.FloorDiv: "*",
    ast.And: "or",
    ast.Or: "and",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    path: Path
    line: int
    before: str
    after: str
    text: str
    """The module with the change."""

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.before} -> {self.after}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Every change of a module that this tool knows."""
    text = path.read_text(encoding="utf-8")
    lines = text.encode().splitlines(keepends=True)
    for node in _expressions(ast.parse(text)):
        if after := _changed(node):
            before = ast.get_source_segment(text, node) or ""
            # ast counts bytes.
            start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
            end = start + len(before.encode())
            new = (text.encode()[:start] + after.encode() + text.encode()[end:]).decode()
            yield Mutant(path, node.lineno, " ".join(before.split()), after, new)


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """All but those of decorators, and of f-strings, whose places Python 3.11 does not know."""
    for name, value in ast.iter_fields(node):
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.AST) and name != "decorator_list":
                if isinstance(inner, ast.expr):
                    yield inner
                if not isinstance(inner, ast.JoinedStr):
                    yield from _expressions(inner)


def _changed(node: ast.expr) -> str:
    """The source of an expression with its first operator or its number changed."""
    match node:
        case ast.Compare(left, [operator, *_], [right, *rest]) if not rest:
            return f"({_source(left)} {_SWAPPED[type(operator)]} {_source(right)})"
        case ast.BoolOp(operator, values):
            return f"({f' {_SWAPPED[type(operator)]} '.join(map(_source, values))})"
        case ast.BinOp(left, operator, right) if type(operator) in _SWAPPED:
            return f"({_source(left)} {_SWAPPED[type(operator)]} {_source(right)})"
        case ast.UnaryOp(ast.Not(), operand):
            return f"bool{_source(operand)}"
        case ast.Constant(bool(value)):
            return str(not value)
        case ast.Constant(int(value)):
            return str(value + 1)
    return ""


def _source(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def drawn(count: int, rooms: Sequence[str], seed: int) -> Iterator[Mutant]:
    """Mutants from each room in turn; the same ones for the same seed and source."""
    order = random.Random(seed)
    found = defaultdict(list)
    for path in sorted((ROOT / "clustergen").glob("*/**/*.py")):
        room = path.relative_to(ROOT / "clustergen").parts[0]
        if (not rooms or room in rooms) and any(mutants(path)):
            found[room].append(path)
    for number in range(count):
        room = sorted(found)[number % len(found)]
        yield order.choice([*mutants(order.choice(found[room]))])


def is_killed(mutant: Mutant, copy: Path) -> bool:
    """Whether a test fails in the copy with the mutant, which is the original again afterwards."""
    name = mutant.path.relative_to(ROOT)
    own = [each for each in folders([str(name)]) if not each.startswith("tests/repository")]
    # The most likely ones first: the first failure ends the run.
    file = Path("tests", *name.parts[1:-1], f"test_{name.stem}.py")
    first = [str(file)] if (ROOT / file).exists() else []
    tests = [*first, *EVERY, *(each for each in own if each not in EVERY)]
    command = [".venv/bin/python", "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    (copy / name).write_text(mutant.text, encoding="utf-8")
    try:
        done = subprocess.run(
            [*command, *tests],
            cwd=copy,
            env=environment,
            capture_output=True,
            check=False,
            timeout=LIMIT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        shutil.copy2(mutant.path, copy / name)
    return done.returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", action="append", default=[], help="a folder of clustergen/")
    given = parser.parse_args()
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", *LINKED), symlinks=True)
        for name in LINKED:
            (copy / name).symlink_to(ROOT / name)
        for mutant in drawn(given.count, given.room, given.seed):
            killed = is_killed(mutant, copy)
            survivors += not killed
            print("killed  " if killed else "SURVIVES", mutant, flush=True)
    print(f"{given.count - survivors} of {given.count} are killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
