"""What a spec says in a document, the import of the document has as a field again.

Each change of ``tests/plan/features/fields.py`` that shows in the document of a target is rendered
and imported. Its value is a field of the imported spec, or its field is in :data:`IN_OVERLAY`. So
is what the example specs say.
"""

import functools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest
import yaml

from clustergen import targets
from clustergen.base.findings import errors
from clustergen.base.text_lists import word_set
from clustergen.bundle import renderer
from clustergen.importing import Imported
from clustergen.importing.parallelcluster.normal import normal
from tests.importing.templates import (
    VPC,
    bring,
    examples_of,
    lossless,
    original_of,
    properties,
    region_of,
    rendered,
)
from tests.importing.templates import document as template
from tests.plan.features.evidence import BATCH, EKS, HP, PC, PCS
from tests.plan.features.fields import FIELDS
from tests.plan.features.modes import MODES, Mode
from tests.plan.features.test_fields import Pair, checked, is_in, pair
from tests.support.checking import check_example

# One mode of each target: the others have the same documents.
IMPORTED = (PC, PCS, f"{HP} bootstrap", f"{EKS} managed", f"{BATCH} several-nodes")
BESIDE = ("foundation.template.json", "manifests/")
"""Files of the bundle that are imported with the document."""
PARTS = 36
"""Of the fields of a mode."""

IN_OVERLAY: Mapping[str, Mapping[str, frozenset[str]]] = {
    "of a script that no compute node runs, the document only has the permission to read it": {
        PC: word_set("software.scripts.on"),
        EKS: word_set("software.scripts.on"),
        BATCH: word_set("software.scripts.on"),
    },
    "the request only says that nodes run a script": {
        HP: word_set("""
            monitoring.metrics node_groups.scratch queues.node_groups slurm.cgroup_settings
            slurm.settings storage.Lustre.efa storage.OpenZfs.existing
        """)
    },
}
"""Fields, by reason and target, whose values come back in the overlay. No field may join them."""

_CHECKSUM = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{16})\b")


class Case(NamedTuple):
    field: str
    two: Pair


def fields(mode: Mode, part: int) -> list[str]:
    """The names of one part of the fields of a mode."""
    return [name for name in FIELDS if is_in(mode, name) and name != "overlay"][part::PARTS]


def cases(mode: Mode, part: int) -> Iterator[Case]:
    """The changes of these fields that the target accepts."""
    for name in fields(mode, part):
        for change in FIELDS[name]:
            two = pair(mode, change)
            texts = (two.before, two.after)
            if not any(errors(checked(two.target, text).findings) for text in texts):
                yield Case(name, two)


def document(target: str, spec: str) -> dict[str, Any]:
    return rendered(checked(target, spec), target)


def shown(value: Any, spec: str) -> str:
    """A document or an overlay as text, without the checksums of files that are not in it."""
    text = json.dumps(value, sort_keys=True)
    return _CHECKSUM.sub(lambda found: found[0] if found[0] in spec else "", text)


@functools.cache
def back(target: str, spec: str) -> Imported:
    """The import of the document of a spec, and of the files beside it."""
    given = json.loads(spec)
    zones = {"": given["network"]["zone"]}
    merged, bundle = renderer.rendered(checked(target, spec), target)
    beside = [(each.path, each.text) for each in bundle if each.path.startswith(BESIDE)]
    files = (("cluster.yaml", yaml.dump(merged, Dumper=yaml.CSafeDumper, sort_keys=False)), *beside)
    return bring(*files, name=given["name"], region=given["region"], vpc=VPC, zones=zones)


def overlaid(target: str, spec: str) -> str:
    options = yaml.safe_load(back(target, spec).text)["targets"][target] or {}
    return shown(options.get("overlay"), spec)


@pytest.mark.sampled(180)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", IMPORTED)
def test_what_shows_in_a_document_comes_back_as_a_field(name: str, part: int) -> None:
    mode = MODES[name]
    wrong = set()
    for case in cases(mode, part):
        target, before, after = mode.target, case.two.before, case.two.after
        documents = [shown(document(target, spec), spec) for spec in (before, after)]
        if documents[0] == documents[1]:
            continue
        assert back(target, after).lossless, case.field
        if overlaid(target, before) != overlaid(target, after):
            wrong.add(case.field)
    listed = {field for each in IN_OVERLAY.values() for field in each.get(mode.target, ())}
    assert wrong == listed.intersection(fields(mode, part)), "fewer may leave the list"


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("target", "name"), [(target, name) for target in targets.NAMES for name in examples_of(target)]
)
def test_an_imported_bundle_is_the_bundle(target: str, name: str) -> None:
    original = original_of(name, target)
    # The file of ParallelCluster names its region.
    region = "" if target == PC else region_of(name)
    result = lossless(bring(original, region=region, vpc=""))
    again, plan = template(result, target), check_example(name, target).plans[target]
    names = [each["name"] for each in yaml.safe_load(result.text)["node_groups"]]
    # Groups of Karpenter are not in the template.
    assert target == EKS or names == [group.name for group in plan.node_groups]
    if target == PC:
        schema = targets.load(PC).schema
        assert normal(again, schema) == normal(original, schema)
    elif target == PCS:
        assert properties(again) == properties(original)
    elif target == EKS:
        kept, before = properties(again), properties(original)
        assert {id for id in before if kept.get(id) == before[id]} & {"Cluster", "NodeGroupH200"}
