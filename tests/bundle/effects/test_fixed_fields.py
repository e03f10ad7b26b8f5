"""Fields that the API server never changes: read from definitions of custom resources."""

from typing import Any

import pytest
import yaml

from clustergen.bundle.effects import fixed_fields
from clustergen.facts.schemas import immutable
from clustergen.services.kubernetes import charts
from tools.schemas import immutable as definitions

Json = dict[str, Any]


def definition(schema: Json) -> str:
    """A definition with ``schema`` as that of the spec, and a rule on the status."""
    status = {"x-kubernetes-validations": [{"rule": "self == oldSelf"}]}
    properties = {"properties": {"spec": schema, "status": status}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": properties}}
    spec = {"group": "example.com", "names": {"kind": "Thing"}, "versions": [version]}
    return yaml.safe_dump({"kind": "CustomResourceDefinition", "spec": spec})


def ruled(*rules: str, **schema: Any) -> Json:
    return {"x-kubernetes-validations": [{"rule": rule} for rule in rules], **schema}


def rows(schema: Json) -> list[Json]:
    return [row for _, found in definitions.definitions(definition(schema)) for row in found]


SET = "!has(oldSelf.b) || (has(self.b) && self.b == oldSelf.b)"
GUARDED = (
    "!has(oldSelf.c) || (has(self.b) == has(oldSelf.b) && (!has(self.b) || self.b == oldSelf.b))"
)
LAST = "self == oldSelf || (self[size(self) - 1].n == 'v' && oldSelf[size(oldSelf) - 1].n == 'v')"
RULES: dict[str, Json] = {
    "self == oldSelf": {"path": "spec", "fixed": "value"},
    "self.b == oldSelf.b": {"path": "spec.b", "fixed": "value"},
    "oldSelf.b.c == self.b.c": {"path": "spec.b.c", "fixed": "value"},
    "has(self.b) == has(oldSelf.b)": {"path": "spec.b", "fixed": "presence"},
    SET: {"path": "spec.b", "fixed": "once"},
    GUARDED: {"path": "spec.b", "fixed": "always", "while": "spec.c"},
    "self.map(l, l.n) == oldSelf.map(l, l.n)": {"path": "spec[].n", "fixed": "value"},
    LAST: {"path": "spec", "fixed": "value", "unless_last": {"n": "v"}},
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_becomes_a_row(rule: str) -> None:
    assert rows(ruled(rule)) == [RULES[rule]]


def test_rules_are_found_below_lists_and_maps() -> None:
    value = ruled("self == oldSelf")
    items = {"items": {"properties": {"a": value}}, "x-kubernetes-list-map-keys": ["name"]}
    schema = {"properties": {"list": items, "map": {"additionalProperties": value}}}
    assert [row["path"] for row in rows(schema)] == ["spec.list[name].a", "spec.map.*"]


def test_joined_rules_are_rules_of_their_own() -> None:
    found = rows(ruled("self.a == oldSelf.a && self.b == oldSelf.b", "size(self.a) > 1"))
    assert [row["path"] for row in found] == ["spec.a", "spec.b"]


def test_a_rule_on_the_status_is_left_out() -> None:
    assert rows(ruled("oldSelf.status.done ? self.a == oldSelf.a : true")) == []


def test_an_unknown_form_stops_the_build() -> None:
    with pytest.raises(SystemExit, match="not known here"):
        rows(ruled("self.size() >= oldSelf.size()"))


PROJECTS = {
    "gpu-operator": charts.GPU_OPERATOR,
    "karpenter": charts.KARPENTER,
    "kueue": charts.KUEUE,
    "dra-driver-nvidia-gpu": charts.NVIDIA_DRA,
}


@pytest.mark.parametrize("name", PROJECTS)
def test_the_rows_are_of_the_version_that_is_installed(name: str) -> None:
    """Charts without fixed fields in what clustergen writes may be newer."""
    assert definitions.PROJECTS[name].version.strip("v") == PROJECTS[name].version.strip("v")


def test_a_build_keeps_the_rows_of_other_projects(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definitions, "FILE", tmp_path / "rows.json")
    for name in ("kueue", "volcano"):
        folder = tmp_path / name / definitions.PROJECTS[name].folder
        folder.mkdir(parents=True)
        text = definition(ruled("self == oldSelf")).replace("example.com", f"{name}.example.com")
        (folder / "a.yaml").write_text(text)
        assert definitions.main([f"{name}={tmp_path / name}"]) == 0
    text = (tmp_path / "rows.json").read_text()
    assert "kueue.example.com/v1/Thing" in text
    assert "volcano.example.com/v1/Thing" in text
    assert definitions.main(["--check", f"kueue={tmp_path / 'kueue'}"]) == 0


def test_every_field_has_a_source() -> None:
    every = immutable.every().values()
    assert all(field.source.startswith("https://") for rows in every for field in rows)
    known = immutable.fields("kueue.x-k8s.io/v1beta2", "LocalQueue")
    assert [field.source for field in known] == [definitions.PROJECTS["kueue"].source]


def test_another_version_of_an_api_has_the_fields_of_the_known_one() -> None:
    assert immutable.fields("kueue.x-k8s.io/v9", "LocalQueue")
    assert not immutable.fields("example.com/v1", "LocalQueue")


def job_set(*dependencies: tuple[str, int], **spec: Any) -> Json:
    jobs = [{"name": name, "dependsOn": [value]} for name, value in dependencies]
    spec = {"replicatedJobs": jobs, **spec}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": spec}


def test_items_of_a_list_are_compared_by_their_names() -> None:
    before = job_set(("a", 1), ("b", 2))
    assert fixed_fields.first(before, job_set(("b", 2), ("a", 1)), ()) is None
    field = fixed_fields.first(before, job_set(("a", 1), ("b", 3)), ())
    assert field is not None
    assert field.path == "spec.replicatedJobs[name].dependsOn"


def test_a_field_with_a_rule_of_its_own_may_come_and_go() -> None:
    """The API server compares a field with itself only where both objects have it."""
    assert fixed_fields.first(job_set(), job_set(network=1), ()) is None
    assert fixed_fields.first(job_set(network=1), job_set(network=2), ()) is not None


def test_levels_above_hosts_change_where_the_definition_allows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    field = immutable.Field("spec.levels", "value", "", unless_last=("nodeLabel", "host"))
    monkeypatch.setattr(immutable, "fields", lambda *_: (field,))

    def levels(*labels: str) -> Json:
        return {"spec": {"levels": [{"nodeLabel": label} for label in labels]}}

    assert fixed_fields.first(levels("a", "host"), levels("b", "host"), ()) is None
    assert fixed_fields.first(levels("a", "b"), levels("b", "host"), ()) is not None
