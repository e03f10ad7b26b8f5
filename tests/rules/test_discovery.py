"""No rule is lost: a rule that is declared is found, and its check runs."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import clustergen
import stacks
from clustergen import targets
from clustergen.base import discovery
from clustergen.checking import registry

PACKAGE = Path(clustergen.__file__).parent
PAGE = PACKAGE.parent / "docs" / "developing" / "rules.md"
Trees = Mapping[Path, ast.Module]


def parsed(*roots: Path) -> Trees:
    """The syntax tree of each module below ``roots`` that says anything of rules."""
    files = sorted(path for root in roots for path in root.rglob("*.py"))
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    said = re.compile(r"[rR]ules?\b")
    return {p: ast.parse(text) for p, text in texts.items() if in_rules(p) or said.search(text)}


@pytest.fixture(scope="module")
def trees() -> Trees:
    return parsed(PACKAGE, Path(stacks.__file__).parent)


def in_rules(path: Path) -> bool:
    return "rules" in path.parts and path.name != "__init__.py"


DECLARES = ("rule", "warning", "note")


def calls(node: ast.AST, *names: str) -> bool:
    """Whether it is a call of one: ``Rule``, ``findings.rule``, or a partial of one."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr in names
    return isinstance(function, ast.Name) and re.sub("^(common|own)_", "", function.id) in names


# -- every declaration is discovered ----------------------------------------------------------


def declared(trees: Trees) -> Iterator[str]:
    """The code of each declaration and each ``Rule(...)``, or the place of one without."""
    for path, tree in trees.items():
        if path.name in ("findings.py", "__init__.py"):  # what declares rules, for others
            continue
        # Elsewhere, other functions may be called ``note``.
        names = ("Rule", *(DECLARES if in_rules(path) else DECLARES[:1]))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and calls(node, *names):
                codes = [word.value for word in node.keywords if word.arg == "code"]
                code = [*node.args, *codes, node][0]
                yield str(code.value) if isinstance(code, ast.Constant) else f"{path}:{node.lineno}"


def test_every_declared_rule_is_registered_once(trees: Trees) -> None:
    known = {rule.code for rule in registry.every()}
    found = sorted(declared(trees))
    lost = set(found) - known
    assert not lost, "these rules are in no `rules` package, or in a folder without __init__.py"
    assert found == sorted(known)


# -- every check belongs to a rule --------------------------------------------------------------


def uncalled(tree: ast.Module) -> set[str]:
    """The functions of a rules module that yield problems, but neither are nor serve a check."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    checks = {n for n, f in functions.items() if any(calls(d, *DECLARES) for d in f.decorator_list)}
    reached: set[str] = set()
    waiting = list(checks)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        used = {n.id for n in ast.walk(functions[name]) if isinstance(n, ast.Name)}
        waiting += (used & functions.keys()) - reached
    return {name for name, function in functions.items() if yields_problems(function)} - reached


def yields_problems(function: ast.FunctionDef) -> bool:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return not names.isdisjoint({"Problem", "Finding"})


def test_every_check_belongs_to_a_rule(trees: Trees) -> None:
    assert {
        path: left for path in trees if in_rules(path) and (left := uncalled(trees[path]))
    } == {}


# -- every rule without a check is used ---------------------------------------------------------


def unused(trees: Trees) -> set[str]:
    """The rules without a check, as ``module.NAME``, that no other module refers to."""
    plain = {
        f"{path.stem}.{node.targets[0].id}"
        for path, tree in trees.items()
        if in_rules(path)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and calls(node.value, "Rule")
        and isinstance(node.targets[0], ast.Name)
    }
    used = {name for path, tree in trees.items() if not in_rules(path) for name in uses(tree)}
    return plain - used


def uses(tree: ast.Module) -> Iterator[str]:
    """What a module does with names of others: ``files.SET`` for both ways to import it."""
    modules, names = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                modules.add(alias.name)
                names[alias.name] = f"{node.module.rpartition('.')[2]}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            yield names[node.id]
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
        ):
            yield f"{node.value.id}.{node.attr}"


def test_every_rule_without_a_check_is_used(trees: Trees) -> None:
    assert unused(trees) == set()


# -- where rules are --------------------------------------------------------------------------


def concerns() -> set[str]:
    """The names of rules modules of targets, from the list in docs/developing/rules.md."""
    text = PAGE.read_text(encoding="utf-8")
    names = text.partition("a concern has one file name:\n\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^- `(\w+)`: ", names, re.MULTILINE))


def rules_of_targets() -> list[Path]:
    below = (PACKAGE / "targets", PACKAGE / "services" / "hyperpod")
    return [path for root in below for path in root.rglob("*.py") if in_rules(path)]


def test_the_same_concern_has_the_same_name_in_every_target() -> None:
    names = {path.stem for path in rules_of_targets()}
    assert names == concerns()


@pytest.mark.parametrize("name", targets.NAMES)
def test_rules_of_a_target_name_it(name: str) -> None:
    package = f"clustergen.targets.{name.replace('-', '_')}.rules"
    found = discovery.rules_below(package)
    assert found
    assert {rule.target for rule in found} == {name}


def test_rules_for_all_targets_name_one_for_their_examples_only() -> None:
    found = [rule for rule in discovery.rules_below("clustergen.rules") if rule.target]
    assert [rule.code for rule in found if not rule.by_limits] == []


# -- the tests above can fail -------------------------------------------------------------------

RULE = """\
from clustergen.base.findings import Problem, Rule, rule

@rule("{code}", "Something", why="It is.", source="a test")
def check(plan):
    yield Problem((), "something")
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package ``fake`` with one rules package that has one rule, CAP001."""
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "fake" / "rules"
    folder.mkdir(parents=True)
    for package in (folder.parent, folder):
        (package / "__init__.py").write_text("")
    (folder / "one.py").write_text(RULE.format(code="CAP001"))
    yield folder
    for cached in (discovery.rules, discovery.rules_below):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "fake"]:
        del sys.modules[name]


def found(folder: Path) -> list[str]:
    return [rule.code for rule in discovery.every(folder.parent)]


def test_a_rule_is_found(fake: Path) -> None:
    (fake / "area").mkdir()
    (fake / "area" / "__init__.py").write_text("")
    (fake / "area" / "two.py").write_text(RULE.format(code="CAP002"))
    trees = parsed(fake.parent)
    assert found(fake) == ["CAP001", "CAP002"] == sorted(declared(trees))
    assert [uncalled(tree) for tree in trees.values()] == [set()] * len(trees)


def test_a_module_without_a_rule_does_not_load(fake: Path) -> None:
    (fake / "two.py").write_text('"""Nothing."""\n')
    with pytest.raises(TypeError, match=r"fake\.rules\.two is in a rules package"):
        found(fake)


def test_a_code_declared_twice_does_not_load(fake: Path) -> None:
    (fake / "two.py").write_text(RULE.format(code="CAP001"))
    with pytest.raises(TypeError, match="two rules have the code CAP001"):
        found(fake)


def test_a_code_declared_in_two_packages_does_not_load(fake: Path) -> None:
    other = fake.parent / "part" / "rules"
    other.mkdir(parents=True)
    for package in (other.parent, other):
        (package / "__init__.py").write_text("")
    (other / "two.py").write_text(RULE.format(code="CAP001"))
    with pytest.raises(TypeError, match="two rules have the code CAP001"):
        found(fake)


def test_a_misspelt_check_is_detected(fake: Path) -> None:
    loose = RULE.format(code="CAP002").replace("@rule", "NAME = Rule")
    (fake / "two.py").write_text(loose.replace("def check", "def chek"))
    tree = parsed(fake)[fake / "two.py"]
    assert found(fake) == ["CAP001", "CAP002"]
    assert uncalled(tree) == {"chek"}


def test_an_unused_rule_without_a_check_is_detected(fake: Path) -> None:
    text = 'from clustergen.base.findings import Rule\n\nNAME = Rule("CAP002", "", "", "")\n'
    (fake / "two.py").write_text(text)
    assert unused(parsed(fake.parent)) == {"two.NAME"}
    user = fake.parent / "user.py"
    user.write_text("from fake.rules.two import NAME\n")
    assert unused(parsed(fake.parent)) == {"two.NAME"}
    user.write_text("from fake.rules.two import NAME\n\nfinding = NAME.at((), '')\n")
    assert unused(parsed(fake.parent)) == set()
    user.write_text("from fake.rules import two\n\nfinding = two.NAME.at((), '')\n")
    assert unused(parsed(fake.parent)) == set()


@pytest.mark.parametrize("place", ["loose.py", "rules/area/two.py"])
def test_an_undiscovered_rule_is_detected(fake: Path, place: str) -> None:
    """In a module outside of rules packages, or in a folder without ``__init__.py``."""
    path = fake.parent / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(RULE.format(code="CAP002"))
    assert found(fake) == ["CAP001"]
    assert sorted(declared(parsed(fake.parent))) == ["CAP001", "CAP002"]


def test_an_unknown_area_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    areas = {area: title for area, title in registry.AREAS.items() if area != "NIC"}
    monkeypatch.setattr(registry, "AREAS", areas)
    registry.every.cache_clear()
    with pytest.raises(ValueError, match="there is no area NIC"):
        registry.by_code()
