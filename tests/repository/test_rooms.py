"""The rooms in CONTRIBUTING.md: each folder of the package imports only from those below it."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from clustergen import targets
from clustergen.base.text_lists import words
from tests.support.paths import ROOT
from tests.support.syntax import nodes_of
from tests.support.tables import flow

PACKAGE = ROOT / "clustergen"
TOP = ("cli", "__main__", "__init__")
"""Modules beside the rooms: they may import from all of them."""

Modules = Mapping[str, Path]


def listed(markdown: str) -> list[str]:
    """The rooms, the highest first."""
    section = markdown.partition("\n## Rooms\n")[2].partition("\n## ")[0]
    return re.findall(r"^\d+\. `(\w+)/`: ", section, re.MULTILINE)


ROOMS = listed((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def modules(package: Path) -> Modules:
    """The files of a package by dotted name, which begins with that of the package."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def needs(path: Path, known: Modules) -> set[str]:
    """The modules that a module imports anywhere, or whose names it holds as text."""
    return {name for name in _names(path, known) if name in known and known[name] != path}


def _names(path: Path, known: Modules) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def climbs(known: Modules, rooms: Iterable[str]) -> Iterator[str]:
    """Imports that lead to a higher room, or from a room to a module beside the rooms."""
    height = {room: number for number, room in enumerate(rooms)}
    for name, path in known.items():
        room = name.partition(".")[2].partition(".")[0]
        for end in sorted(needs(path, known) - {name.partition(".")[0]}):
            other = end.partition(".")[2].partition(".")[0]
            if room in height and height.get(other, -1) < height[room]:
                yield f"{name} imports {end}"


def cycles(known: Modules) -> Iterator[str]:
    """Circles of imports between files, those for types only included.

    A package that loads its parts by name, such as `targets`, is no circle.
    """
    tops = {name: _imported(path, known) for name, path in known.items()}
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> Iterator[str]:
        if name in way:
            yield " -> ".join((*way[way.index(name) :], name))
        elif name not in done:
            for other in sorted(tops[name]):
                yield from visit(other, (*way, name))
            done.add(name)

    for name in tops:
        yield from visit(name, ())


def _imported(path: Path, known: Modules) -> set[str]:
    texts = {n.value for n in nodes_of(path) if isinstance(n, ast.Constant)}
    named = {text for text in texts if isinstance(text, str)}
    return needs(path, known) - named


MODULES = modules(PACKAGE)


def test_every_folder_is_in_the_list() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(ROOMS) == sorted(folders)
    assert {path.stem for path in PACKAGE.glob("*.py")} == {*TOP}


def test_imports_lead_down() -> None:
    assert list(climbs(MODULES, ROOMS)) == []


def test_no_file_imports_itself_through_others() -> None:
    assert list(cycles(MODULES)) == []


def test_no_target_imports_another() -> None:
    for name, path in MODULES.items():
        if name.count(".") > 1 and name.startswith("clustergen.targets."):
            mine = name.split(".")[2]
            for other in needs(path, MODULES):
                parts = other.split(".")
                if parts[:2] == ["clustergen", "targets"] and (ROOT.joinpath(*parts[:3])).is_dir():
                    assert len(parts) == 2 or parts[2] == mine, (name, other)


def test_emitters_see_only_plans() -> None:
    """What the user wrote reaches a target through the plan; facts of EC2 stand in it."""
    for name, path in MODULES.items():
        if name.startswith("clustergen.targets.") and ".rules" not in name:
            found = {
                end for end in needs(path, MODULES) if end.startswith("clustergen.spec.source")
            }
            assert not found, name


DATA = words("calls form kinds model reading resource_types software software.model")
"""What others may know of the deployment: no step of it."""


def test_the_deployment_knows_only_bundles() -> None:
    """What it needs of specs is in `bundle.json`; rendering needs no more than its form."""
    for name, path in MODULES.items():
        if not name.startswith(("clustergen.deployment", "clustergen.commands", "clustergen.cli")):
            found = {end for end in needs(path, MODULES) if end.startswith("clustergen.deployment")}
            assert found <= {f"clustergen.deployment.{each}" for each in DATA}, name


def write(folder: Path, files: Mapping[str, str]) -> Modules:
    package = folder / "house"
    for name, text in {
        "__init__.py": "",
        "up/__init__.py": "",
        "down/__init__.py": "",
        **files,
    }.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return modules(package)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"up/a.py": "from house.down import b", "down/b.py": ""}, []),
        (
            {"up/a.py": "", "down/b.py": "def f():\n    import house.up.a"},
            ["house.down.b imports house.up.a"],
        ),
        (
            {"up/a.py": "x = 1", "down/b.py": "from house.up.a import x"},
            ["house.down.b imports house.up.a"],
        ),
        ({"up/a.py": "", "down/b.py": "NAME = 'house.up.a'"}, ["house.down.b imports house.up.a"]),
        ({"top.py": "", "down/b.py": "from house import top"}, ["house.down.b imports house.top"]),
    ],
)
def test_climbing_imports_are_found(
    files: dict[str, str], expected: list[str], tmp_path: Path
) -> None:
    assert list(climbs(write(tmp_path, files), ("up", "down"))) == expected


def test_cycles_are_found(tmp_path: Path) -> None:
    files = {
        "up/a.py": "from house.up import b",
        "up/b.py": "def f():\n    from house.up.a import g",
    }
    assert list(cycles(write(tmp_path, files))) == ["house.up.a -> house.up.b -> house.up.a"]


# Lower rooms learn about targets from their traits, limits and needs, not from names. These strings
# only look like names; a number may only get smaller.
NAMED: Mapping[str, Mapping[str, int]] = flow("""
'EKS as a service of AWS, for any target': {clustergen.deployment.hyperpod_eks: 1,
  clustergen.deployment.kubernetes: 1, clustergen.facts.catalog.endpoints: 1,
  clustergen.rules.services.network: 1, clustergen.services.aws.marks: 1,
  clustergen.services.eks.addons: 1, clustergen.services.eks.control_plane: 1,
  clustergen.spec.patterns: 1}
where services of AWS and tools are offered: {clustergen.facts.catalog.services: 3}
'Batch as a scheduler, beside Slurm and Kubernetes': {clustergen.plan.model.cluster: 1,
  clustergen.plan.sizes: 1, clustergen.plan.timetable: 3, clustergen.services.cost.nodes: 1,
  clustergen.services.foundation.deletion: 1, clustergen.services.monitoring.sources: 1}
the API group of Kubernetes: {clustergen.services.kubernetes.mpi_operator: 1}
the targets of rules: {clustergen.services.hyperpod.rules.document: 2}
""")
"""By reason and module."""


def named_targets(path: Path) -> int:
    """How many strings of a module are names of targets, those of rules aside (`target=`)."""
    given = {
        id(word.value)
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg == "target"
    }
    return sum(
        isinstance(node, ast.Constant) and node.value in targets.NAMES and id(node) not in given
        for node in nodes_of(path)
    )


def test_lower_rooms_do_not_name_targets() -> None:
    below = ROOMS[ROOMS.index("targets") + 1 :]
    found = {
        name: count
        for name, path in MODULES.items()
        if name.partition(".")[2].partition(".")[0] in below and (count := named_targets(path))
    }
    assert found == {name: count for names in NAMED.values() for name, count in names.items()}
