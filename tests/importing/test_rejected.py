"""What rules reject stays in the imported spec, where its error is seen."""

import json
from typing import Any

import pytest
import yaml

from clustergen import targets
from clustergen.base.findings import Rule, Severity, errors
from clustergen.checking import registry
from clustergen.checking.compiler import check_text
from clustergen.importing import Imported
from tests.importing.clusters import SMALL
from tests.importing.templates import VPC, bring, codes
from tests.support.checking import check_fragment

QUEUE = "InstanceType: c7i.4xlarge"
ALONE = "Networking: {PlacementGroup: {Enabled: false}}"
TYPES: dict[str, tuple[str, str]] = {
    "InstanceType: c7i.nolarge": ("CAP001", "instance_type: c7i.nolarge"),
    "InstanceType: c7i.4xlarge, MinCount: 4, MaxCount: 2": ("CAP008", "max: 2"),
    f"InstanceType: c7i.4xlarge, Efa: {{Enabled: true}}, {ALONE}": ("NIC001", "efa: true"),
}
DISK = "SharedStorage: [{MountDir: /shared, Name: shared, StorageType: Ebs, EbsSettings: {%s}}]\n"
DISKS: dict[str, tuple[str, str]] = {
    "VolumeType: gp3, Throughput: 1000, Iops: 3000": ("STG012", "throughput: 1000"),
    "Size: 20000": ("STG107", "size: 20000GiB"),
}
CASES = [
    *((SMALL.replace(QUEUE, text), *found) for text, found in TYPES.items()),
    *((SMALL + DISK % text, *found) for text, found in DISKS.items()),
]


def bring_one(text: str, **answers: Any) -> Imported:
    return bring(("cluster.yaml", text), zones={"": "usw2-az1"}, **answers)


@pytest.mark.parametrize(("text", "code", "word"), CASES, ids=[code for _, code, _ in CASES])
def test_a_rejected_value_stays_in_the_spec(text: str, code: str, word: str) -> None:
    result = bring_one(text)
    assert [each.code for each in result.errors] == [code]
    assert word in result.text.replace('"', "")
    assert result.errors == tuple(
        each for each in errors(check_text(result.text, name="<spec>").findings)
    )


def test_the_overlay_of_a_running_cluster_has_what_a_rule_rejects() -> None:
    """The service has accepted it."""
    text = SMALL + DISK % "VolumeType: gp3, Throughput: 1000, Iops: 3000"
    result = bring_one(text, adopt=True)
    assert result.errors == ()
    assert result.lossless
    assert codes(result).count("IMP006") == 1
    assert "Throughput: 1000" in result.text


def test_more_queues_than_there_can_be_stay_in_the_spec_of_a_running_cluster() -> None:
    """The overlay cannot have queues that the spec does not name."""
    queue = SMALL[SMALL.index("    - Name: cpu") :]
    more = (queue.replace("cpu", f"q{i}").replace("Name: c7i,", f"Name: c{i},") for i in range(50))
    result = bring_one(SMALL + "".join(more), adopt=True)
    assert {each.code for each in result.errors} == {"LIM003"}
    left_out = [each.message for each in result.findings if each.code == "IMP006"]
    assert not any("queues" in message or "node_groups" in message for message in left_out)


def test_nothing_stands_in_for_the_type_of_running_nodes() -> None:
    result = bring_one(SMALL.replace("c7i.4xlarge", "zz9.unknown"), adopt=True)
    assert [each.code for each in result.errors] == ["CAP001"]
    assert "instance_type: zz9.unknown" in result.text
    (alone,) = [each for each in result.findings if each.code == "IMP011"]
    assert "import it again" in alone.help


REJECTING = [
    rule
    for rule in registry.every()
    if rule.bad and not rule.calls and rule.severity is Severity.ERROR
]
PARTS = 60


def documents(rule: Rule) -> list[tuple[str, str]]:
    """What the bad example of a rule renders to in spite of it, by target."""
    found = []
    for name in [rule.target] if rule.target else targets.NAMES:
        checked = check_fragment(rule.bad, name)
        if checked.blocking(name) and name in checked.plans:
            try:
                document = targets.load(name).document(checked.plans[name])
            except (LookupError, ValueError):  # an emitter relies on what the rules hold
                continue
            found.append((name, json.dumps(document)))
    return found


@pytest.mark.sampled(PARTS)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_import_moves_what_a_rule_rejects(part: int) -> None:
    """Not to the overlay, where rules for specs do not see it, and to no other value."""
    for rule in REJECTING[part::PARTS]:
        for name, document in documents(rule):
            text = yaml.safe_dump(yaml.safe_load(document), sort_keys=False)
            result = bring(
                ("cluster.yaml", text), region="us-east-1", vpc=VPC, zones={"": "use1-az6"}
            )
            if not result.text:
                continue  # only a part of a cluster
            assert "IMP006" not in codes(result), (rule.code, name)
            checked = errors(check_text(result.text).findings)
            # Of what it invents itself, import says why.
            rest = [each for each in checked if each.code != "SPC061"]
            assert len(rest) <= len(result.errors) <= len(checked), (rule.code, name)
