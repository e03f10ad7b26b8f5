"""Which modules may import which, and what a command may not load."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import clustergen
from clustergen import targets
from clustergen.base import resources
from clustergen.base.text_lists import words
from tests.support.syntax import tree_of

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
    tree = tree_of(path)
    for node in tree.body if only_top else ast.walk(tree):
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
    (("check", SPEC), {*HEAVY}),
    (("compare", SPEC), {*HEAVY}),
    (
        ("check", SPEC, "--target", "eks"),
        {*HEAVY, "clustergen.overlay", "clustergen.targets.eks.rules.document"},
    ),
    (("render", SPEC, "--stdout", "--target", "pcs"), {*HEAVY} - {"jinja2", "jsonschema"}),
    (("catalog", "p5.48xlarge"), {"pydantic", "clustergen.spec.model", *HEAVY}),
]


@pytest.mark.parametrize(
    ("arguments", "never"), LOADS, ids=[" ".join(args).replace(SPEC, "SPEC") for args, _ in LOADS]
)
def test_commands_load_only_what_they_need(arguments: tuple[str, ...], never: set[str]) -> None:
    assert loaded(*arguments) & never == set()


def test_a_check_for_one_target_does_not_load_the_other() -> None:
    modules = loaded("check", SPEC, "--target", "pcs")
    assert "clustergen.targets.pcs" in modules
    assert "clustergen.targets.parallelcluster" not in modules


def test_schemas_are_built_without_other_packages() -> None:
    """ParallelCluster has an environment of its own, which lacks those that clustergen needs."""
    builders = [PACKAGE / "facts/schemas/build.py", *(PACKAGE / "facts/schemas/building").glob("*")]
    for path in (path for path in builders if path.suffix == ".py"):
        assert {name.rpartition(".")[0] for name in ours(path)} <= {
            "facts.schemas",
            "facts.schemas.building",
        }


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
        services/kubernetes/pruning.py services/kubernetes/names.py analysis/policy/documents.py
        analysis/policy/scopes.py checking/preflight/rules/roles.py targets/eks/limits.py
        services/hyperpod/limits.py targets/hyperpod_eks/limits.py
    """),
    # The registry of an image of EKS, which the chart names everywhere.
    "services/kubernetes/charts.py",
)


@pytest.mark.parametrize("what", WORDS)
def test_words(what: str) -> None:
    found = []
    for path, text in FILES.items():
        name = path.relative_to(PACKAGE).as_posix()
        if what.startswith("an ARN") and name in MAY_NAME_A_PARTITION:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if re.search(WORDS[what], line) and not _is_example(line):
                found.append(f"{name}:{number}: {line.strip()}")
    assert found == []


# Phrases that plain English has a better word for.
PHRASES = {
    "a person (a user, by hand)": r"\ba person\b",
    "judge (check, validate)": r"(?<![.\w-])judg(e|es|ed|ing)\b",
    "breach (violation, problem)": r"\bbreach(?!ing\")",  # a value of CloudWatch
    "what nothing reads (unknown)": r"\b[Ww]hat nothing\b",
    "is due (expected)": r"\b(is|are) due\b(?! to\b)",
    "is answered with (gets, prints)": r"\b(is|are) answered (with|by)\b",
    "all the same (always)": r"\ball the same\b",
    "at the most (at most)": r"\bat the most\b",
    "the spec has it": r"\bthe spec has it\b",
    "found by itself (automatically)": r"\b(found|discovered) by (itself|themselves)\b",
    "people (users)": r"\bpeople\b(?!=)",
    "whoever (users, the creator)": r"\b[Ww]hoever\b",
    "somebody (a user, or passive voice)": r"\b[Ss]omebody\b",
    "mend (fix)": r"\bmend(s|ed)?\b",
    "says why (gives the reason)": r"\bsays? why\b",
    "is said (is logged, is printed)": r"\b(is|are|was) said\b",
    "what is to say (findings)": r"\bto say (about|of)\b",
    "made anew (created again)": r"\bmade anew\b",
    "costs on (continues to cost money)": r"\bcosts? on\b",
    "nobody's": r"\b(nobody|anybody|somebody)'s\b",
    "the user's own (the user's, custom)": r"\bthe user's own\b",
    "by itself (automatically, separately)": r"(?<!out )\bby (itself|themselves)\b",
    "stands under (follows)": r"\bstands? under\b",
    "makes of (does with)": r"\bmakes of\b",
    "that there are (all)": r"\b(all|every \w+) there (is|are)\b",
    "speaks (uses, supports)": r"\bspeaks?\b",
    "in the words of": r"\b[A-Z]\w+'s words\b",
}
ROOT = PACKAGE.parent
PROSE = {
    **FILES,
    **{
        path: path.read_text(encoding="utf-8")
        for path in (
            ROOT / "README.md",
            ROOT / "CONTRIBUTING.md",
            *sorted((ROOT / "docs").glob("*.md")),
            *sorted((ROOT / "docs").glob("*.py")),
            *sorted((ROOT / "stacks").glob("*.py")),
            *sorted((ROOT / "templates").rglob("*.j2")),
        )
    },
}


@pytest.mark.parametrize("phrase", PHRASES)
def test_plain_english(phrase: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path, text in PROSE.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if re.search(PHRASES[phrase], line)
    ]
    assert found == []


# Words that docstrings and comments have a better term for, in the package and in the tests.
TERMS = {
    "reported, printed, given": r"\b(said|told)\b",
    "users, or the passive voice": r"\b(nobody|somebody|anybody|whoever|a person)\b",
    "again": r"\banew\b",
    "forever": r"\bfor ever\b",
    "lacks, does not have": r"\b(has|have) not(?=[.,;:\"]|$)",
    "reject": r"(?<!raises )\brefus(e|es|ed|al|als|ing)\b",
    "check, validate": r"\bjudg",
    "no longer": r"\bany more\b",
    "help": r"\bthe way out\b",
    "fix": r"\bmend(s|ed)?\b",
}
# And words that say little about behaviour in the name of a test.
OF_NAMES = (
    r"_(said|told|asked|answered|nobody|somebody|person|people|judge[ds]?|refuse[ds]?"
    r"|gone|anew|mended)(?=_|$)"
)
SOURCES = sorted(
    path
    for folder in ("clustergen", "stacks", "tests", "benchmarks", "docs")
    for path in (ROOT / folder).rglob("*.py")
    if "golden" not in path.parts
)


@functools.cache
def prose() -> Mapping[str, str]:
    """Comments and docstrings of each module, by its path."""
    return {
        str(path.relative_to(ROOT)): "\n".join(_comments(path.read_text(encoding="utf-8")))
        for path in SOURCES
    }


def _comments(text: str) -> Iterator[str]:
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
        elif token.type != tokenize.NL:
            if token.type == tokenize.STRING and before in BETWEEN_STATEMENTS:
                yield token.string
            before = token.type


BETWEEN_STATEMENTS = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


@pytest.mark.parametrize("term", TERMS)
def test_comments_use_the_terms_of_the_field(term: str) -> None:
    found = [
        f"{path}: {line.strip()}"
        for path, text in prose().items()
        for line in text.splitlines()
        if re.search(TERMS[term], line, re.IGNORECASE)
    ]
    assert found == [], f"better: {term}"


def test_names_of_tests_use_the_terms_of_the_field() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        if re.search(OF_NAMES, name)
    ]
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
