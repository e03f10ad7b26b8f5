"""Build ``custom_resources.json``: what the definitions of custom resources accept.

FOLDER has a folder for each project, named ``PROJECT-VERSION`` or ``PROJECT``, with its files of
CustomResourceDefinitions::

    python -m tools.tests.custom_resources [--check] FOLDER

Each kind has its fields with types, enumerations, patterns, limits and what is required, as a JSON
Schema. Left out are texts, status, rules in CEL (those about updates are in
``clustergen/facts/schemas/kubernetes-updates.json``) and the fields of pods, which Kubernetes' own
schemas have.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from clustergen.base.text_lists import word_set
from tests.support.paths import ROOT
from tests.support.tables import rows

Json = dict[str, Any]

FILE = ROOT / "tests" / "validators" / "custom_resources.json"


class Project(NamedTuple):
    """Where definitions are from, and the kinds that bundles and users of them have."""

    version: str
    commit: str
    source: str
    kinds: frozenset[str]


PROJECTS = {
    name: Project(version, commit, f"https://github.com/{source}", word_set(kinds))
    for given, source, kinds in rows("""
jobset 0.12.0 08dfbdfd682714a9ab929633eca8dc95315187e7
    kubernetes-sigs/jobset/tree/main/config/components/crd/bases | JobSet
kai-scheduler 0.17.0 d5bc503a146317e51037d89775d77172c6d12f71
    kai-scheduler/KAI-Scheduler/tree/main/deployments/kai-scheduler/crds
    | Queue PodGroup SchedulingShard Topology
karpenter 1.14.1 1d927085dd81a9df9301e613f371dac5b4d16bfe
    aws/karpenter-provider-aws/tree/main/pkg/apis/crds | EC2NodeClass NodePool NodeOverlay
kubeflow-trainer 2.3.0 8c0f5059bd51ec3ba6d6a6a7b2e1471de7bc13b3
    kubeflow/trainer/tree/master/manifests/base/crds
    | ClusterTrainingRuntime TrainingRuntime TrainJob
kueue 0.19.2 ff69552e79ad21652c36caa97038382e55625cf7
    kubernetes-sigs/kueue/tree/main/config/components/crd/bases
    | AdmissionCheck ClusterQueue Cohort LocalQueue ProvisioningRequestConfig ResourceFlavor
    Topology WorkloadPriorityClass
mpi-operator 0.8.0 caa3c47fc42eb762635f78045ec0fcd1a89eb038
    kubeflow/mpi-operator/tree/master/deploy/v2beta1 | MPIJob
volcano 1.15.0 ed72c7c815a9fd547a787134676f73d42e9d049c
    volcano-sh/volcano/tree/master/config/crd/volcano/bases | Job PodGroup Queue
""")
    for name, version, commit in [given.split()]
}

_KEPT = word_set("""
    type required enum pattern minimum maximum minItems maxItems minLength maxLength minProperties
    maxProperties anyOf oneOf allOf not x-kubernetes-preserve-unknown-fields
""")
_NESTED = ("items", "additionalProperties")
_OF_THE_SERVER = word_set("apiVersion kind metadata status")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file, or with ``--check`` compare it."""
    parser = argparse.ArgumentParser(prog="python -m tools.tests.custom_resources")
    parser.add_argument("--check", action="store_true", help="only say whether it is current")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args(argv)
    text = _text(args.folder)
    if not args.check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    return 0 if FILE.exists() and FILE.read_text(encoding="utf-8") == text else 1


def _text(folder: Path) -> str:
    """One line per project and kind, so that a change is a short difference."""
    found: dict[str, Json] = {
        key: {"project": name, "schema": schema}
        for name, project in PROJECTS.items()
        for key, schema in _project(folder, name, project)
    }
    times = Counter(text for each in found.values() for text in _parts(each["schema"]))
    names: dict[str, str] = {}
    shared: Json = {}
    kinds = {
        key: {**each, "schema": _referring(each["schema"], times, names, shared)}
        for key, each in found.items()
    }
    projects = {
        name: {"version": each.version, "commit": each.commit, "source": each.source}
        for name, each in PROJECTS.items()
    }
    comment = "definitions of custom resources; built by tools/tests/custom_resources.py"
    return (
        f'{{\n"$comment": {json.dumps(comment)},\n"projects": {{\n{_lines(projects)}\n}},\n'
        f'"kinds": {{\n{_lines(kinds)}\n}},\n"$defs": {{\n{_lines(shared)}\n}}}}\n'
    )


_LONG = 120
"""Characters from which a part that occurs several times is written once, in ``$defs``."""


def _parts(schema: Json) -> Iterator[str]:
    yield _compact(schema)
    for inner in _below(schema):
        yield from _parts(inner)


def _below(schema: Json) -> Iterator[Json]:
    yield from schema.get("properties", {}).values()
    yield from (schema[key] for key in _NESTED if isinstance(schema.get(key), dict))


def _referring(schema: Json, times: Counter[str], names: dict[str, str], shared: Json) -> Json:
    """The schema, with references to the parts that are shared."""
    text = _compact(schema)
    often = times[text] > 1 and len(text) > _LONG
    if often and text in names:
        return {"$ref": f"#/$defs/{names[text]}"}
    made = {**schema}
    if "properties" in schema:
        made["properties"] = {
            name: _referring(inner, times, names, shared)
            for name, inner in schema["properties"].items()
        }
    for key in _NESTED:
        if isinstance(schema.get(key), dict):
            made[key] = _referring(schema[key], times, names, shared)
    if not often:
        return made
    names[text] = str(len(names) + 1)
    shared[names[text]] = made
    return {"$ref": f"#/$defs/{names[text]}"}


def _lines(items: Json) -> str:
    return ",\n".join(f"{json.dumps(key)}: {_compact(value)}" for key, value in items.items())


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _project(folder: Path, name: str, project: Project) -> Iterator[tuple[str, Json]]:
    """The kinds of a project, by ``apiVersion/kind``."""
    places = (folder / f"{name}-{project.version}", folder / name)
    paths = [path for place in places for path in sorted(place.glob("*.yaml"))]
    if not paths:
        raise SystemExit(f"{folder} has neither {places[0].name} nor {name} with *.yaml")
    for path in paths:
        for document in yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            if document and document.get("kind") == "CustomResourceDefinition":
                yield from _kinds(document["spec"], project)


def _kinds(spec: Json, project: Project) -> Iterator[tuple[str, Json]]:
    kind = spec["names"]["kind"]
    for version in spec["versions"]:
        if kind in project.kinds and version["served"] and not version.get("deprecated"):
            schema = version["schema"]["openAPIV3Schema"]
            own = {k: v for k, v in schema["properties"].items() if k not in _OF_THE_SERVER}
            yield f"{spec['group']}/{version['name']}/{kind}", _kept({**schema, "properties": own})


def _kept(schema: Json) -> Json:
    """What a schema says, in short; a pod is an object of anything."""
    properties = schema.get("properties", {})
    if {"containers", "nodeSelector", "volumes"} <= properties.keys():
        return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    if properties:
        kept["properties"] = {name: _kept(inner) for name, inner in properties.items()}
    for key in _NESTED:
        if isinstance(schema.get(key), dict):
            kept[key] = _kept(schema[key])
    return kept


if __name__ == "__main__":
    sys.exit(main())
