"""The definitions of custom resources: what they have, how they are built, and MPIJob's own."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.services.kubernetes import mpi_operator
from tests.services.kubernetes.planned import files_of
from tests.services.kubernetes.specs import SPECS
from tests.validators import custom_resources
from tests.validators.kubernetes import objects_in
from tools.tests import custom_resources as build

Json = Mapping[str, Any]
MPI_JOB = f"{mpi_operator.API}/MPIJob"

# Built-in groups have schemas of Kubernetes; tests/validators/kubernetes.py has PyTorchJob's and
# ComputeDomain's, from documentation.
BUILT_IN = ("k8s.io", "v1", "apps", "batch")
WITHOUT = {
    "kubeflow.org/v1/PyTorchJob",
    "resource.nvidia.com/v1beta1/ComputeDomain",
    "karpenter.sagemaker.amazonaws.com/v1/HyperpodNodeClass",
}


@pytest.mark.parametrize("spec", SPECS)
def test_objects_of_other_projects_have_a_definition(spec: str) -> None:
    found = {f"{o.body['apiVersion']}/{o.kind}" for o in objects_in(files_of(SPECS[spec]))}
    of_others = {
        key for key in found if not key.partition("/")[0].endswith(BUILT_IN) and key not in WITHOUT
    }
    assert of_others <= custom_resources.kinds().keys()


def test_each_definition_has_its_commit() -> None:
    data = json.loads(build.FILE.read_text(encoding="utf-8"))
    assert {each["project"] for each in data["kinds"].values()} == data["projects"].keys()
    for name, project in data["projects"].items():
        assert len(project["commit"]) == 40, name
        assert project["version"] == build.PROJECTS[name].version


TYPES = ("type", "enum", "required", "minimum")


def _fields(schema: Json, at: str = "") -> Iterator[tuple[str, Json]]:
    """The type and values of each field, by its path; ours has none of pods."""
    if at.endswith(".template"):
        return
    yield at, {key: schema[key] for key in TYPES if key in schema}
    for name, inner in schema.get("properties", {}).items():
        yield from _fields(inner, f"{at}.{name}")
    if isinstance(inner := schema.get("additionalProperties"), Mapping):
        yield from _fields(inner, f"{at}.*")


def test_the_definition_of_mpi_jobs_has_the_fields_of_upstream() -> None:
    (definition,) = (
        body
        for body in yaml.safe_load_all(files_of("")["manifests/mpi-operator.yaml"])
        if body["kind"] == "CustomResourceDefinition"
    )
    (version,) = definition["spec"]["versions"]
    ours = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    theirs = custom_resources.kinds()[MPI_JOB]["properties"]["spec"]
    assert dict(_fields(ours)) == dict(_fields(theirs))


DEFINITION = """
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Thing}
  versions:
    - name: v1
      served: true
      schema:
        openAPIV3Schema:
          type: object
          description: text
          required: [spec]
          properties:
            apiVersion: {type: string}
            kind: {type: string}
            metadata: {type: object}
            status: {type: object}
            spec:
              type: object
              properties:
                size: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}
                mode: {type: string, enum: [A, B], description: text}
                pod: {type: object, properties: {containers: {}, nodeSelector: {}, volumes: {}}}
                labels: {type: object, additionalProperties: {type: string}}
                first: &long
                  type: object
                  required: [one]
                  properties:
                    one: {type: string, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", maxLength: 63}
                    two: {type: array, maxItems: 8, items: {type: integer, minimum: 1}}
                second: *long
    - {name: v1beta1, served: true, deprecated: true, schema: {}}
"""
BEGIN = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}


@pytest.fixture
def thing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the definition of one kind; the file is made from it."""
    (tmp_path / "crds" / "things-1.0").mkdir(parents=True)
    (tmp_path / "crds" / "things-1.0" / "things.yaml").write_text(DEFINITION)
    project = build.Project("1.0", "0" * 40, "https://example.com", frozenset({"Thing"}))
    monkeypatch.setattr(build, "PROJECTS", {"things": project})
    for module, name in ((build, "FILE"), (custom_resources, "_FILE")):
        monkeypatch.setattr(module, name, tmp_path / "made.json")
    custom_resources.clear()
    yield tmp_path
    custom_resources.clear()


def test_it_is_built_from_a_folder(thing: Path) -> None:
    assert build.main(["--check", str(thing / "crds")]) == 1
    assert build.main([str(thing / "crds")]) == 0
    assert build.main(["--check", str(thing / "crds")]) == 0
    text = (thing / "made.json").read_text()
    assert "text" not in text
    assert "v1beta1" not in text
    assert text.count("a-z0-9") == 3, "a part that occurs twice is written once"
    with pytest.raises(SystemExit, match=r"neither things-1\.0 nor things"):
        build.main([str(thing)])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"spec": {"size": "1Gi", "mode": "A", "pod": {"any": 1}, "labels": {"a": "b"}}}, ""),
        ({"spec": {"first": {"one": "a", "two": [1]}, "second": {"one": "b"}}}, ""),
        ({}, "'spec' is a required property"),
        ({"spec": {"sizes": 1}}, "spec: Additional properties"),
        ({"spec": {"mode": "C"}}, "spec.mode: 'C' is not one of"),
        ({"spec": {"second": {"one": "a", "two": [0]}}}, "spec.second.two.0: 0 is less than"),
        ({"spec": {"second": {"one": "a", "three": 3}}}, "'three' was unexpected"),
        ({"spec": {}, "metadata": {"owner": "x"}}, "metadata.owner"),
        ({"spec": {}, "apiVersion": "example.com/v2"}, "no version example.com/v2"),
        ({"spec": {}, "apiVersion": "example.org/v2"}, ""),
    ],
)
def test_what_it_accepts(thing: Path, body: Json, words: str) -> None:
    build.main([str(thing / "crds")])
    found = list(custom_resources.violations({**BEGIN, **body}))
    assert len(found) == bool(words), found
    assert words in "".join(found)
