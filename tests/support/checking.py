"""What the compiler makes of the specs that tests write: findings, plans and files.

Tests read, plan and render specs through this module only. It keeps the latest answers: specs are
text, and plans, findings and bundles cannot change. A whole run asks for a third of them twice, and
most of those close together.
"""

import functools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from clustergen import targets
from clustergen.base import discovery, resources
from clustergen.base.findings import EXAMPLE_BASE, Finding, Rule, errors
from clustergen.bundle import renderer
from clustergen.checking import compiler
from clustergen.checking.compiler import Checked
from clustergen.checking.examples import is_whole
from clustergen.plan.model import Plan
from clustergen.spec.source import Document, read_text
from tests.support.paths import DOCS
from tests.validators import shared

BASE, OVER = "base.yaml", "over.yaml"
EVERY_FIELD = DOCS / "every-field.yaml"
"""A spec with every field of the language, which no target takes as a whole."""
EXAMPLES: Mapping[str, Path] = MappingProxyType(
    {path.stem: path for path in (*sorted(resources.tree("specs").glob("*.yaml")), EVERY_FIELD)}
)
"""The example specs by name."""
EVERY_TARGET = ("", *targets.NAMES)
"""The names of all targets, and the empty one: a plan that is for none of them."""


def check(*texts: str, target: str = "", sets: Sequence[str] = ()) -> Checked:
    """The compiler's answer to `texts`, each laid over the one before it.

    Without a target it is for those that the spec names. Findings name the files `base.yaml` (the
    first) and `over.yaml`.
    """
    return _check(texts, (target,) if target else (), tuple(sets))


def check_for_all(*texts: str) -> Checked:
    """The compiler's answer for every target there is, and for none; it is not kept."""
    return _check.__wrapped__(texts, EVERY_TARGET, ())


@functools.lru_cache(maxsize=512)
def _check(texts: Sequence[str], wanted: Sequence[str], sets: Sequence[str]) -> Checked:
    names = [BASE, *(OVER for _ in texts[1:])]
    files = [Path(_folder().name, f"{number}-{name}") for number, name in enumerate(names)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return compiler.check(files, sets=sets, targets=wanted)


@functools.cache
def _folder() -> TemporaryDirectory[str]:
    """One folder for all specs, in memory: thousands are written, and each is read at once."""
    return TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def document_of(text: str) -> Document:
    """The document of a text that has one, whatever its findings are."""
    document, findings = read_text(text)
    assert document is not None, findings
    return document


def check_fragment(fragment: str, target: str = "") -> Checked:
    """The answer to a fragment over the example spec, or to a whole spec that `fragment` is."""
    return Fragments(target).checked(fragment)


def name_of(rule: Rule) -> str:
    """A rule's code, with the target of its examples."""
    return f"{rule.code}-{rule.target}" if rule.target else rule.code


@functools.cache
def check_example(name: str, target: str = "") -> Checked:
    """The answer to an example spec; without a target for those that it names."""
    return compiler.check([EXAMPLES[name]], targets=[target] if target else [])


def found(fragment: str, target: str = "") -> list[Finding]:
    """The findings of a fragment over the example spec."""
    return Fragments(target).findings(fragment)


def codes(fragment: str, target: str = "") -> list[str]:
    """The codes of the findings, sorted."""
    return Fragments(target).codes(fragment)


def message_and_help(fragment: str, code: str, target: str = "") -> tuple[str, str]:
    """Message and help of the one finding with `code`."""
    findings = [f for f in found(fragment, target) if f.code == code]
    assert len(findings) == 1, [f"{f.code} {f.message}" for f in findings]
    return findings[0].message, findings[0].help


def broken(target: str, document: Mapping[str, Any]) -> list[Finding]:
    """What the document rules of a target find in `document`."""
    rules = discovery.rules(targets.load(target).document_rules)
    return [finding for rule in rules for finding in rule.find(document)]


def faults(checked: Checked) -> list[str]:
    """The errors, in words that a failing test shows."""
    return [f"{finding.code} {finding.message}" for finding in errors(checked.findings)]


def files_of(checked: Checked, target: str) -> Mapping[str, str]:
    """Path and text of every file of the bundle, its foundation and README.md included."""
    return MappingProxyType({file.path: file.text for file in renderer.render(checked, target)})


@functools.cache
def example_files(name: str, target: str) -> Mapping[str, str]:
    """Path and text of every file of an example spec's bundle."""
    text = EXAMPLES[name].read_text(encoding="utf-8")
    return MappingProxyType(shared.answer(_example_files, name, target, text, *targets.NAMES))


def _example_files(name: str, target: str, *_: str) -> dict[str, str]:
    return dict(files_of(check_example(name, target), target))


@functools.lru_cache(maxsize=128)
def _files(texts: Sequence[str], target: str) -> Mapping[str, str]:
    return files_of(check(*texts, target=target), target)


@functools.lru_cache(maxsize=64)
def _document(texts: Sequence[str], target: str) -> Any:
    plan = check(*texts, target=target).plans[target]
    return json.loads(json.dumps(targets.load(target).document(plan)))


@dataclass(frozen=True, slots=True)
class Fragments:
    """Specs for one target, written as fragments over `base`; no target: a plan that is for none.

    The empty fragment is `base` itself.
    """

    target: str
    base: str = EXAMPLE_BASE

    def checked(self, text: str = "") -> Checked:
        """The compiler's answer."""
        return check(*self._texts(text), target=self.target)

    def findings(self, text: str = "") -> list[Finding]:
        """All that it finds."""
        return list(self.checked(text).findings)

    def codes(self, text: str = "") -> list[str]:
        """The codes of the findings, sorted."""
        return sorted(finding.code for finding in self.findings(text))

    def plan(self, text: str = "") -> Plan:
        """The plan of a spec without errors."""
        assert faults(self.checked(text)) == []
        return self.faulty_plan(text)

    def faulty_plan(self, text: str = "") -> Plan:
        """The plan of a spec that may have errors, as long as it can be planned."""
        checked = self.checked(text)
        assert self.target in checked.plans, faults(checked)
        return checked.plans[self.target]

    def files(self, text: str = "") -> Mapping[str, str]:
        """Path and text of every file of the bundle, its foundation and README.md included."""
        assert faults(self.checked(text)) == []
        return _files(self._texts(text), self.target)

    def document(self, path: str, text: str = "") -> Any:
        """One JSON file of the bundle."""
        return json.loads(self.files(text)[path])

    def template(self, text: str = "") -> Any:
        """The target's document, read back from its JSON; do not change it."""
        assert faults(self.checked(text)) == []
        return _document(self._texts(text), self.target)

    def properties(self, text: str, logical_id: str) -> Any:
        """The properties of one resource of a template."""
        return self.template(text)["Resources"][logical_id]["Properties"]

    def _texts(self, text: str) -> tuple[str, ...]:
        return (text,) if is_whole(text) else (self.base, text or "{}")
