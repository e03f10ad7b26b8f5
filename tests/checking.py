"""What the compiler makes of a spec that stands in a test as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clustergen import compiler, discovery, targets
from clustergen.compiler import Checked
from clustergen.findings import EXAMPLE_BASE, Finding

BASE, OVER = "base.yaml", "over.yaml"


def check(*texts: str, target: str = "", sets: Sequence[str] = ()) -> Checked:
    """The compiler's answer to `texts`, each laid over the one before it.

    Findings name the files `base.yaml` (the first) and `over.yaml`.
    """
    names = [BASE, *(OVER for _ in texts[1:])]
    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}-{name}") for number, name in enumerate(names)]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")
        return compiler.check(files, sets=sets, targets=[target] if target else [])


def check_fragment(fragment: str, target: str = "") -> Checked:
    """The answer to a fragment over the example spec, or to a whole spec that `fragment` is."""
    if is_whole(fragment):
        return check(fragment, target=target)
    return check(EXAMPLE_BASE, fragment or "{}", target=target)


def is_whole(text: str) -> bool:
    """Whether a rule's example is a text of its own: it has a version, or is a list."""
    return text.startswith(("version: 1", "- "))


def found(fragment: str, target: str = "") -> list[Finding]:
    """The findings of a fragment over the example spec."""
    return list(check_fragment(fragment, target).findings)


def codes(fragment: str, target: str = "") -> list[str]:
    """The codes of the findings, sorted."""
    return sorted(finding.code for finding in found(fragment, target))


def said(fragment: str, code: str, target: str = "") -> tuple[str, str]:
    """Message and help of the one finding with `code`."""
    findings = [f for f in found(fragment, target) if f.code == code]
    assert len(findings) == 1, [f"{f.code} {f.message}" for f in findings]
    return findings[0].message, findings[0].help


def broken(target: str, document: Mapping[str, Any]) -> list[Finding]:
    """What the document rules of a target find in `document`."""
    rules = discovery.rules(targets.load(target).document_rules)
    return [finding for rule in rules for finding in rule.find(document)]
