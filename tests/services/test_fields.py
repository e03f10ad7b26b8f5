"""Tables of fields: what is written to a document is read from it again."""

from dataclasses import dataclass
from typing import Any

import pytest

from clustergen.services.fields import Field, read, written

FIELDS = (
    Field("size", "Disk.Size", plan="size_gib", spelled="{}GiB"),
    Field("keep", "Disk.Delete", default=False, words={True: False, False: True}, always=True),
    Field("on.end", "End", plan="retain", default=False, spelled={True: "retain"}),
    Field("name", "Name"),
)


@dataclass(frozen=True, slots=True)
class Values:
    size_gib: int | None = None
    keep: bool = False
    retain: bool = False
    name: str | None = None


@pytest.mark.parametrize(
    ("values", "document", "spec"),
    [
        (Values(), {"Disk": {"Delete": True}}, {}),
        (Values(size_gib=5), {"Disk": {"Size": 5, "Delete": True}}, {"size": "5GiB"}),
        (Values(keep=True), {"Disk": {"Delete": False}}, {"keep": True}),
        (
            Values(retain=True, name="a"),
            {"Disk": {"Delete": True}, "End": True, "Name": "a"},
            {"on": {"end": "retain"}, "name": "a"},
        ),
    ],
)
def test_both_ways(values: Values, document: dict[str, Any], spec: dict[str, Any]) -> None:
    assert written(FIELDS, values) == document
    assert read(FIELDS, document) == spec


@pytest.mark.parametrize(
    ("document", "spec"),
    [
        ({"Disk": {"Size": "5", "Delete": "false"}}, {"size": "5GiB", "keep": True}),
        ({"End": "true"}, {"on": {"end": "retain"}}),
        ({"Name": {"Ref": "Name"}, "Disk": []}, {}),
        ({"Disk": {"Delete": "perhaps"}}, {}),
        (None, {}),
    ],
)
def test_documents_of_others(document: Any, spec: dict[str, Any]) -> None:
    """Texts in place of numbers and booleans, functions, and what has no word."""
    assert read(FIELDS, document) == spec
