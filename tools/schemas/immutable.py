"""Build ``kubernetes-updates.json``: fields of custom resources that the API server never changes.

They come from the transition rules (``oldSelf``) of the custom resource definitions, which are read
from checkouts of the projects. A project that is not given keeps its rows; started by path, it
needs nothing else of this project but PyYAML::

    python tools/schemas/immutable.py [--check] kueue=CHECKOUT ...

Each row has the path of a field, how it is fixed (see :mod:`clustergen.facts.schemas.immutable`),
and the project, whose version and address are in ``projects``. No text of a definition is copied. A
rule that is none of the known forms stops the build, unless it rests on the status of an object,
which no manifest has.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

Json = dict[str, Any]  # not imported: this file runs where the rest of the project is missing

FILE = Path(__file__).parents[2] / "clustergen/facts/schemas/kubernetes-updates.json"


class Project(NamedTuple):
    """Where a project has its definitions."""

    version: str
    repository: str
    folder: str

    @property
    def source(self) -> str:
        return f"{self.repository}/tree/{self.version}/{self.folder}"


PROJECTS: Mapping[str, Project] = {
    "gpu-operator": Project(
        "v26.3.3", "https://github.com/NVIDIA/gpu-operator", "deployments/gpu-operator/crds"
    ),
    "jobset": Project(
        "v0.12.0", "https://github.com/kubernetes-sigs/jobset", "config/components/crd/bases"
    ),
    "kai-scheduler": Project(
        "v0.12.17", "https://github.com/NVIDIA/KAI-Scheduler", "deployments/kai-scheduler/crds"
    ),
    "karpenter": Project(
        "v1.14.1", "https://github.com/aws/karpenter-provider-aws", "pkg/apis/crds"
    ),
    "kueue": Project(
        "v0.19.2", "https://github.com/kubernetes-sigs/kueue", "config/components/crd/bases"
    ),
    "dra-driver-nvidia-gpu": Project(
        "v0.4.1",
        "https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu",
        "deployments/helm/dra-driver-nvidia-gpu/crds",
    ),
    "kubeflow-trainer": Project(
        "v2.3.0", "https://github.com/kubeflow/trainer", "manifests/base/crds"
    ),
    "volcano": Project(
        "v1.15.1", "https://github.com/volcano-sh/volcano", "config/crd/volcano/bases"
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the rows of the given projects, or with ``--check`` compare them."""
    parser = argparse.ArgumentParser(prog="tools/schemas/immutable.py")
    parser.add_argument("--check", action="store_true", help="only say whether they are current")
    parser.add_argument("projects", nargs="+", metavar="PROJECT=CHECKOUT")
    args = parser.parse_args(argv)
    old = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"$defs": {}}
    rows: dict[str, list[Json]] = old["$defs"]
    for each in args.projects:
        name, _, checkout = each.partition("=")
        kept = {key: found for key, found in rows.items() if found[0]["project"] != name}
        rows = {**kept, **_project(name, Path(checkout))}
    text = _text(rows)
    if not args.check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    current = FILE.exists() and FILE.read_text(encoding="utf-8") == text
    return 0 if current else 1


def _text(rows: Mapping[str, Sequence[Json]]) -> str:
    """One line per project and kind, so that a change is a short difference."""
    projects = {
        name: {"version": each.version, "source": each.source} for name, each in PROJECTS.items()
    }
    comment = "transition rules of custom resource definitions; built by tools/schemas/immutable.py"
    return (
        f'{{\n"$comment": {json.dumps(comment)},\n'
        f'"projects": {{\n{_lines(projects)}\n}},\n'
        f'"$defs": {{\n{_lines(dict(sorted(rows.items())))}\n}}}}\n'
    )


def _lines(items: Mapping[str, Any]) -> str:
    return ",\n".join(
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in items.items()
    )


def _project(name: str, checkout: Path) -> dict[str, list[Json]]:
    """The rows of each kind of a project, by ``apiVersion/kind``."""
    if name not in PROJECTS:
        raise SystemExit(f"{name} is not one of {', '.join(PROJECTS)}")
    paths = sorted((checkout / PROJECTS[name].folder).glob("*.yaml"))
    if not paths:
        raise SystemExit(f"{checkout} has no {PROJECTS[name].folder}/*.yaml")
    found: dict[str, list[Json]] = {}
    for path in paths:
        for key, rows in definitions(path.read_text(encoding="utf-8")):
            found[key] = [{**row, "project": name} for row in rows]
    return found


def definitions(text: str) -> Iterator[tuple[str, list[Json]]]:
    """Each kind with fixed fields in a file of custom resource definitions."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for document in yaml.load_all(text, loader):  # a safe loader
        if not document or document.get("kind") != "CustomResourceDefinition":
            continue
        spec = document["spec"]
        for version in spec["versions"]:
            schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
            rows = [row for row in _rows(schema, "") if not row["path"].startswith("status")]
            if rows:
                key = f"{spec['group']}/{version['name']}/{spec['names']['kind']}"
                yield key, _unique(rows)


def _unique(rows: Sequence[Json]) -> list[Json]:
    return [row for at, row in enumerate(rows) if row not in rows[:at]]


def _rows(schema: Json, path: str) -> Iterator[Json]:
    """The rows of the rules at a field and below it."""
    for validation in schema.get("x-kubernetes-validations", ()):
        rule = " ".join(str(validation["rule"]).split())
        if "oldSelf" in rule:
            yield from _of_rule(rule, path)
    for name, inner in schema.get("properties", {}).items():
        yield from _rows(inner, f"{path}.{name}" if path else name)
    if isinstance(items := schema.get("items"), dict):
        # The API server compares the items of a list with those that have the same keys.
        keys = schema.get("x-kubernetes-list-map-keys", ())
        yield from _rows(items, f"{path}[{','.join(keys)}]")
    if isinstance(inner := schema.get("additionalProperties"), dict):
        yield from _rows(inner, f"{path}.*")


_NAME = r"[\w.]+"


def _form(text: str) -> re.Pattern[str]:
    """A rule with places for names: ``X`` and ``G`` are fields, ``N`` a key, ``V`` a text."""
    found = re.escape(text)
    for place, kind in (("X", _NAME), ("G", _NAME), ("N", r"\w+"), ("V", r"[^']+")):
        first, *rest = found.split(f"<{place}>")
        if rest:
            found = f"{first}(?P<{place}>{kind}){f'(?P={place})'.join(rest)}"
    return re.compile(found)


_ONCE = "!has(oldSelf.<X>) || (has(self.<X>) && self.<X> == oldSelf.<X>)"
_FORMS: Sequence[tuple[re.Pattern[str], str]] = tuple(
    (_form(text), how)
    for text, how in (
        ("self == oldSelf", "value"),
        ("oldSelf == self", "value"),
        ("self.<X> == oldSelf.<X>", "value"),
        ("oldSelf.<X> == self.<X>", "value"),
        ("!has(oldSelf.<X>) || !has(self.<X>) || oldSelf.<X> == self.<X>", "value"),
        ("!has(oldSelf.<X>) || !has(self.<X>) || self.<X> == oldSelf.<X>", "value"),
        ("self.map(l, l.<N>) == oldSelf.map(l, l.<N>)", "value"),
        (
            "self == oldSelf || (self[size(self) - 1].<N> == '<V>' "
            "&& oldSelf[size(oldSelf) - 1].<N> == '<V>')",
            "value",
        ),
        ("has(self.<X>) == has(oldSelf.<X>)", "presence"),
        ("has(oldSelf.<X>) == has(self.<X>)", "presence"),
        (_ONCE, "once"),
        ("!has(oldSelf.<X>) || has(self.<X>) && self.<X> == oldSelf.<X>", "once"),
        (
            "!has(oldSelf.<G>) || (has(self.<X>) == has(oldSelf.<X>) "
            "&& (!has(self.<X>) || self.<X> == oldSelf.<X>))",
            "always",
        ),
    )
)


def _of_rule(rule: str, path: str) -> Iterator[Json]:
    for form, how in _FORMS:
        found = form.fullmatch(rule)
        if found:
            yield _row(found.groupdict(), how, path)
            return
    if " && " in rule and "(" not in rule.replace("has(", "") and "||" not in rule:
        for part in rule.split(" && "):
            if "oldSelf" in part:
                yield from _of_rule(part, path)
        return
    if "oldSelf.status" not in rule:
        raise SystemExit(f"{path}: a rule of a form not known here: {rule}")


def _row(names: Mapping[str, str | None], how: str, path: str) -> Json:
    inner = names.get("X")
    row: Json = {"path": path, "fixed": how}
    if inner:
        row["path"] = f"{path}.{inner}" if path else inner
    if names.get("V"):
        row["unless_last"] = {names["N"]: names["V"]}
    elif names.get("N"):
        row["path"] = f"{path}[].{names['N']}"
    if names.get("G"):
        row["while"] = f"{path}.{names['G']}"
    return row


if __name__ == "__main__":
    sys.exit(main())
