"""What a feature leaves behind in the files of a target that supports it in full."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PC, PCS, HP, HPE, EKS = "parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks", "eks"
BATCH = "batch"
NAMES = {"PC": PC, "PCS": PCS, "HP": HP, "HPE": HPE, "EKS": EKS, "BATCH": BATCH}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A pattern to search for in some files, with the feature and without.

    `file` and `pattern` are regular expressions, for the whole path and anywhere in the text. The
    pattern must be found with the feature and not without it. `gone` is the other way round, for
    what is on unless someone switches it off.
    """

    file: str
    pattern: str
    gone: bool = False

    def shows(self, without: Mapping[str, str], uses: Mapping[str, str]) -> bool:
        """Whether two renderings, files by path, differ as they should."""
        before, after = self._found(without), self._found(uses)
        return (before and not after) if self.gone else (after and not before)

    def _found(self, files: Mapping[str, str]) -> bool:
        texts = (text for path, text in files.items() if re.fullmatch(self.file, path))
        return any(re.search(self.pattern, text) for text in texts)


@dataclass(frozen=True, slots=True)
class Several:
    """Pieces of evidence that all have to show."""

    parts: tuple[Evidence, ...]

    def shows(self, without: Mapping[str, str], uses: Mapping[str, str]) -> bool:
        return all(part.shows(without, uses) for part in self.parts)


Cells = Mapping[str, Evidence | Several]
"""What shows a feature, by target."""


def foundation(pattern: str) -> Evidence:
    return Evidence(r"foundation\.template\.json", pattern)


def yaml(pattern: str, *, gone: bool = False) -> Evidence:
    return Evidence(r"cluster\.yaml", pattern, gone)


def template(pattern: str, *, gone: bool = False) -> Evidence:
    return Evidence(r"cluster\.template\.json", pattern, gone)


def setting(list: str, name: str, value: str) -> Evidence:
    """A Slurm setting in one of PCS's lists."""
    pair = rf'"ParameterName": "{name}",\s*"ParameterValue": "{value}"'
    return template(rf'"{list}": \[[^\]]*{pair}')


def action(script: str, *arguments: str) -> Evidence:
    """A lifecycle action of PCS: its script, and the beginning of its arguments."""
    given = "".join(rf'[^\]]*"{argument}"' for argument in arguments)
    return template(rf'/{script}"(.|\n)*?"Arguments": \[{given}' if given else rf'/{script}"')


ANY = r"(.|\n)*?"


def volume(source: str, driver: str = "") -> Several:
    """A volume for pods, with what it is mounted from, and the add-on that does it."""
    volume = Evidence(r"manifests/.*\.yaml", rf"kind: PersistentVolume\n{ANY}{source}")
    return Several((volume, *([template(f'"AddonName": "{driver}"')] if driver else [])))


def request(pattern: str, *, gone: bool = False) -> Evidence:
    return Evidence(r"create-cluster\.json", pattern, gone)


def document(target: str, pattern: str, *, gone: bool = False) -> Evidence:
    """A pattern in the target's document."""
    return {PC: yaml, HP: request, HPE: request}.get(target, template)(pattern, gone=gone)


def kueue(pattern: str) -> Evidence:
    return Evidence(r"manifests/.*\.yaml", pattern)


def node_script(*words: str) -> Evidence:
    """A script that nodes of Batch run from their user data: its name, and its arguments."""
    given = "".join(rf" '?{word}'?" for word in words[1:])
    return template(rf"run_script yes [^\\]*/{words[0]}' [0-9a-f]+{given}")
