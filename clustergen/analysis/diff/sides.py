"""The two sides of a comparison: a spec, or bundles on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from clustergen import targets
from clustergen.base.findings import Finding, Severity, Unrenderable, errors
from clustergen.bundle import MANIFEST, effects, renderer
from clustergen.bundle.effects import Files
from clustergen.checking.compiler import Checked
from clustergen.plan.model import Plan
from clustergen.spec.source import Document


class Spec(NamedTuple):
    title: str
    document: Document | None
    checked: Checked
    past: bool = False
    """Whether it is deployed: what today's rules reject is compared where it renders."""

    @property
    def targets(self) -> Sequence[str]:
        return [name for name in self.checked.targets if name]

    @property
    def name(self) -> str:
        """The name of the cluster; empty if the spec cannot be read."""
        return self.checked.spec.name if self.checked.spec else ""

    def files(self, target: str) -> Files | None:
        """The bundle of a target; None if there is none."""
        found = rendered(self.checked, target)
        return _as_it_was(self.checked, target) if found is None and self.past else found

    def plan(self, target: str) -> Plan | None:
        return self.checked.plans.get(target)

    def drift(self, target: str) -> None:  # noqa: ARG002
        return None

    def blocking(self) -> list[Finding]:
        """The errors that keep a target from being rendered."""
        return [] if self.forgiven() else errors(self.checked.findings)

    def forgiven(self) -> list[Finding]:
        """The errors of a spec that is deployed, as notes; none where a target does not render."""
        found = errors(self.checked.findings) if self.past else []
        wanted = self.targets if found else ()
        if not wanted or any(self.files(target) is None for target in wanted):
            return []
        return [replace(finding, severity=Severity.NOTE) for finding in found]


def rendered(checked: Checked, target: str) -> Files | None:
    """The bundle of a target; None if it cannot be rendered."""
    if target not in checked.targets:
        return None
    try:
        return effects.files_of(renderer.render(checked, target))
    except Unrenderable:
        return None


def _as_it_was(checked: Checked, target: str) -> Files | None:
    """The bundle of a spec with errors, as far as its plan allows one."""
    harmless = [each for each in checked.findings if each.severity is not Severity.ERROR]
    try:
        return rendered(replace(checked, findings=tuple(harmless)), target)
    except (KeyError, ValueError):  # a name that no table has, and a value that has no text
        return None


class Folders(NamedTuple):
    """Bundles that clustergen wrote."""

    title: str
    folders: Mapping[str, Path]
    document: None = None

    @classmethod
    def below(cls, folder: Path) -> Folders | None:
        """The bundle in ``folder``, or those in the folders of its targets."""
        if (folder / MANIFEST).exists():
            target = _target_of(folder)
            return cls(str(folder), {target: folder}) if target else None
        places = {name: folder / name for name in targets.NAMES}
        found = {name: place for name, place in places.items() if (place / MANIFEST).exists()}
        return cls(str(folder), found) if found else None

    @property
    def targets(self) -> Sequence[str]:
        return list(self.folders)

    @property
    def is_one(self) -> bool:
        """Whether the folder itself is a bundle, and says nothing about other targets."""
        return (Path(self.title) / MANIFEST).exists()

    def files(self, target: str) -> Files | None:
        folder = self.folders.get(target)
        return effects.files_in(folder) if folder else None

    def plan(self, target: str) -> Plan | None:  # noqa: ARG002
        return None

    def drift(self, target: str) -> None:  # noqa: ARG002
        return None


def _target_of(folder: Path) -> str:
    """The target that the files or the folder name; empty where neither does."""
    said = effects.target_of(effects.files_in(folder))
    name = said or Path(os.path.realpath(folder)).name
    return name if name in targets.NAMES else ""
