"""Which modules may import which, and what a command may not load."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import clustergen
from clustergen import targets
from clustergen.base import resources
from clustergen.base.text_lists import words
from tests.support.syntax import nodes_of, tree_of

PACKAGE = Path(clustergen.__file__).parent
FILES = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}

HEAVY = (
    *("aws_cdk", "jsii", "boto3", "botocore", "cfnlint", "moto", "jsonschema", "shtab", "jinja2"),
    *("pygls", "lsprotocol"),
)


def module_of(path: Path) -> str:
    """The dotted name of a module, without that of the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def imports(path: Path, *, only_top: bool = False) -> Iterator[str]:
    """The dotted names that a module imports: `yaml`, `clustergen.spec.base`."""
    for node in tree_of(path).body if only_top else nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(path: Path, *, only_top: bool = False) -> set[str]:
    """The modules of the package that a module imports."""
    found = set()
    for name in imports(path, only_top=only_top):
        parts = name.split(".")
        if parts[0] == "clustergen":
            inside = parts[1:]
            while inside and ".".join(inside) not in MODULES:
                inside = inside[:-1]
            found.add(".".join(inside) or "__init__")
    return found - {module_of(path)}


def test_nothing_heavy_is_imported_at_the_top() -> None:
    for path in FILES:
        module = module_of(path)
        if not module.startswith(("commands.completion", "editor")):
            tops = {name.partition(".")[0] for name in imports(path, only_top=True)}
            allowed = {"jinja2", "jsonschema"}
            assert tops.isdisjoint({*HEAVY} - allowed), path


def test_only_the_cdk_app_needs_the_cdk() -> None:
    assert [path for path in FILES if {"aws_cdk", "constructs"} & set(imports(path))] == []


def loaded(*arguments: str) -> set[str]:
    """The top-level packages and our modules that a run of the command line loads."""
    script = (
        "import sys\nfrom clustergen.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


SPEC = str(resources.tree("specs") / "p5-on-demand.yaml")
LOADS: list[tuple[tuple[str, ...], set[str]]] = [
    (("--help",), {"pydantic", "yaml", "clustergen.spec", "clustergen.facts.catalog", *HEAVY}),
    (("compare", SPEC), {*HEAVY}),
    (("render", SPEC, "--stdout", "--target", "pcs"), {*HEAVY} - {"jinja2", "jsonschema"}),
    (("catalog", "p5.48xlarge"), {"pydantic", "clustergen.spec.model", *HEAVY}),
]


@pytest.mark.parametrize(
    ("arguments", "never"), LOADS, ids=[" ".join(args).replace(SPEC, "SPEC") for args, _ in LOADS]
)
def test_commands_load_only_what_they_need(arguments: tuple[str, ...], never: set[str]) -> None:
    assert loaded(*arguments) & never == set()


def test_a_check_for_one_target_does_not_load_the_other() -> None:
    modules = loaded("check", SPEC, "--target", "eks")
    assert "clustergen.targets.eks" in modules
    never = {"overlay", "targets.eks.rules.document", "targets.parallelcluster"}
    assert modules.isdisjoint({*HEAVY, *(f"clustergen.{name}" for name in never)})


def test_schemas_are_built_without_other_packages() -> None:
    """ParallelCluster has an environment of its own, which lacks those that clustergen needs."""
    for path in (PACKAGE.parent / "tools/schemas").glob("*.py"):
        assert not any(name.startswith("clustergen") for name in imports(path))


# What a reader of the package must not meet.
WORDS = {
    "a path of some machine": r"/home/\w|/Users/\w|/tmp/\w|/work/",
    "a name of a dump": r"\b(utils|helpers|common|misc)\.py",
    "a debugging leftover": r"\bbreakpoint\(|\bpdb\b|\bprint\(f?['\"]debug",
    "an unfinished part": r"\b(TODO|FIXME|XXX|HACK)\b",
    "an ARN or endpoint of one partition": r"\barn:aws:(?!\w*\[)[a-z]|\.amazonaws\.com",
}
# Examples of what users write, facts that name their source, and the table of partitions.
MAY_NAME_A_PARTITION = (
    *words("""
        facts/catalog/regions.py facts/catalog/services.py facts/catalog/quotas.py spec/patterns.py
    """),
    # Names of Kubernetes' labels and APIs, and of services that take roles: the same everywhere.
    *words("""
        services/eks/control_plane.py services/eks/roles.py targets/eks/rules/document/users.py
        targets/eks/karpenter.py services/kubernetes/labels_and_taints.py
        deployment/software/objects.py services/kubernetes/names.py analysis/policy/documents.py
        analysis/policy/scopes.py checking/preflight/rules/roles.py targets/eks/limits.py
        services/hyperpod/limits.py targets/hyperpod_eks/limits.py deployment/actions.py
    """),
)


@pytest.mark.parametrize("what", WORDS)
def test_words(what: str) -> None:
    found = []
    for path, text in FILES.items():
        name = path.relative_to(PACKAGE).as_posix()
        if what.startswith("an ARN") and name in MAY_NAME_A_PARTITION:
            continue
        if re.search(WORDS[what], text):
            lines = [line for line in text.splitlines() if re.search(WORDS[what], line)]
            found += [f"{name}: {line.strip()}" for line in lines if not _is_example(line)]
    assert found == []


def _is_example(line: str) -> bool:
    """A link of a comment or a source, or part of a rule's example spec."""
    return "https://" in line or bool(
        re.search(r"(bad|good)=|^\s+[-{]|^\s*(secret|endpoint): |111122223333", line)
    )


def test_modules_have_docstrings() -> None:
    assert [path for path in FILES if not ast.get_docstring(tree_of(path))] == []
    parts = {part for path in FILES for part in path.relative_to(PACKAGE).with_suffix("").parts}
    assert parts.isdisjoint({"utils", "helpers", "common", "misc", "base_manager"})


def test_targets_have_the_same_files() -> None:
    """A reader of one target finds the same names in all."""
    for name in targets.NAMES:
        folder = Path(inspect.getfile(importlib.import_module(targets.package(name)))).parent
        there = {path.stem for path in folder.iterdir()}
        ours = {"rules", "options"} if folder.is_relative_to(PACKAGE) else set()
        assert {"__init__", "emit", "support", "limits", *ours} <= there
