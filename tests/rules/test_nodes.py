"""Node groups: findings just beyond a limit, and none just within it."""

import pytest

from tests.support.checking import Fragments, check_fragment, codes, message_and_help
from tests.support.tables import rows

BLOCK = "capacity: {capacity_block: cr-0a1b2c3d}"
HELD = "capacity: {reservation: cr-0a1b2c3d}"
DALLAS = "network: {zone: use1-dfw2-az1}\n"
OHIO = "region: us-east-2\nnetwork: {zone: use2-az2}\n"


def group(fields: str, before: str = "") -> str:
    """The example's node group with other fields."""
    return f"{before}node_groups: [{{name: h200, {fields}}}]"


def types(*names: str) -> str:
    return f"instance_type: null, instance_types: [{', '.join(names)}]"


EXPECTED = rows("""
# What EC2 has, and where.
node_groups: [{name: h200, instance_type: p4de.24xlage}]
    CAP001 | p4de has no size 24xlage | did you mean p4de.24xlarge?
node_groups: [{name: h200, instance_type: ml.p5.48xlarge}]
    CAP001 | a spec names EC2 instance types: without SageMaker's ml. | did you mean p5.48xlarge?
node_groups: [{name: h200, instance_type: null, instance_types: [m7i.4xlarge, m7i.9xlarge]}]
    CAP001 | m7i has no size 9xlarge | did you mean m7i.12xlarge? The family has m7i.large,
    m7i.xlarge, m7i.2xlarge,
login: {instance_type: nope.large}
    CAP001 | there is no instance type nope.large | if EC2 has it,
network: {zone: use1-az3}
head_node: {instance_type: m4.4xlarge}
node_groups: [{name: h200, count: 1}]
    CAP003 | p5en.48xlarge is not offered in use1-az3 | in us-east-1: use1-az2, use1-az6
node_groups: [{name: h200, instance_type: hpc7a.96xlarge}]
    CAP003 | hpc7a.96xlarge is not offered in us-east-1 | offered in eu-north-1, eu-west-1,
    eu-west-3, us-east-2
node_groups: [{name: h200, instance_type: null, instance_types: [hpc7a.96xlarge]}]
    CAP003 | hpc7a.96xlarge is not offered in us-east-1 | offered in eu-north-1, eu-west-1,
    eu-west-3, us-east-2
# How it is sold.
region: us-east-2
network: {zone: use2-az2}
node_groups: [{name: h200, instance_type: hpc7a.96xlarge, capacity: spot}]
    CAP002 | hpc7a.96xlarge is not available as spot | hpc7a.96xlarge is sold as on-demand
network: {zone: use1-dfw2-az1}
node_groups: [{name: h200, instance_type: p6e-gb200.36xlarge, count: 18}]
    CAP002 | p6e-gb200.36xlarge is not available as on-demand | p6e-gb200.36xlarge is sold as
    capacity-block, and by HyperPod as training_plan
node_groups: [{name: h200, instance_type: g6e.12xlarge, capacity: {capacity_block: cr-0a1b2c3d}}]
    CAP002 | g6e.12xlarge is not available as capacity-block | g6e.12xlarge is sold as on-demand,
    spot; Capacity Blocks exist for p4d.24xlarge,
node_groups: [{name: h200, instance_type: m7i.4xlarge, capacity: {capacity_block: cr-0a1b2c3d}}]
    CAP002 | m7i.4xlarge is not available as capacity-block | m7i.4xlarge is sold as on-demand, spot
node_groups: [{name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge],
  capacity: {reservation: cr-0a1b2c3d}}]
    CAP005 | cr-0a1b2c3d holds one type, the group has 2 | write instance_type with the type of the
    reservation
node_groups: [{name: h200, count: 3, capacity: {reservation: cr-0a1b2c3d}}, {name: b,
  instance_type: p5en.48xlarge, count: 4, capacity: {reservation: cr-0a1b2c3d}}]
    CAP006 | cr-0a1b2c3d is used by 'h200' too | together they start up to 7 nodes from it
node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d}}, {name: b,
  instance_type: p5.48xlarge, count: 4, capacity: {reservation: cr-0a1b2c3d}}]
    CAP005 | cr-0a1b2c3d holds one type, and 'h200' starts p5en.48xlarge from it | name a
    reservation of p5.48xlarge
node_groups: [{name: h200, count: 65, capacity: {capacity_block: cr-0a1b2c3d}}]
    CAP007 | 65 nodes from one Capacity Block | at most 64: split the group, one block each
# How many.
node_groups: [{name: h200, count: {min: 3, max: 2}}]
    CAP008 | a minimum of 3 above a maximum of 2 | write {min: 2, max: 3}
network: {zone: use1-dfw2-az1}
node_groups: [{name: h200, instance_type: p6e-gb200.36xlarge, count: 8,
  capacity: {capacity_block: cr-0a1b2c3d}}]
    CAP009 | 8 instances are not a multiple of the UltraServer size 9 | write 9
network: {zone: use1-dfw2-az1}
node_groups: [{name: h200, instance_type: p6e-gb200.36xlarge, count: 19,
  capacity: {capacity_block: cr-0a1b2c3d}}]
    CAP009 | 19 instances are not a multiple of the UltraServer size 9 | write 18 or 27
# Settings of its processors and GPUs.
node_groups: [{name: h200, instance_type: m7g.4xlarge, threads_per_core: 2}]
    CAP010 | m7g.4xlarge has 1 thread per core | write 1, or remove it
# EC2 lists no choice for it, and AWS's own samples run it with one.
node_groups: [{name: h200, instance_type: g5.12xlarge, threads_per_core: 1}]
    CAP010 | EC2 does not say whether g5.12xlarge, which has 2 threads per core, can run with 1 |
    start one such instance first, or write 2
node_groups: [{name: h200, mig: {1g.10gb: 7}}]
    GPU001 | p5en.48xlarge has no MIG profile 1g.10gb | did you mean 1g.18gb? It has 1g.18gb,
    1g.18gb+me, 1g.35gb, 2g.35gb, 3g.71gb,
node_groups: [{name: h200, instance_type: g6e.48xlarge, mig: {1g.18gb: 1}}]
    GPU001 | GPUs of g6e.48xlarge cannot be partitioned | remove mig
node_groups: [{name: h200, mig: {1g.18gb: 8}}]
    GPU002 | 8 x 1g.18gb on one GPU | at most 7
node_groups: [{name: h200, mig: {3g.71gb: 2, 1g.18gb: 1}}]
    GPU002 | partitions of 7 compute and 9 memory slices | a GPU has 7 and 8
node_groups: [{name: h200, instance_type: m7i.4xlarge, scratch: /scratch}]
    STG050 | m7i.4xlarge has no local NVMe | remove scratch, or use a type with local disks
# Types that cannot stand in for each other.
node_groups: [{name: h200, instance_type: null, instance_types: [m7i.4xlarge, m7g.4xlarge]}]
    CAP004 | m7g.4xlarge has arm64 (architecture), m7i.4xlarge has x86_64 | put types that differ
    into separate groups
node_groups: [{name: h200, instance_type: null, instance_types: [g6e.12xlarge, m7i.12xlarge]}]
    CAP004 | m7i.12xlarge has 0 (accelerators), g6e.12xlarge has 4 | put types that differ into
    separate groups
node_groups: [{name: h200, instance_type: null, instance_types: [m7i.4xlarge, m7i.4xlarge]}]
    SPC030 | 'm7i.4xlarge' is listed twice | remove one
node_groups: [{name: h200, instance_type: null, instance_types: [p5en.48xlarge, p5.48xlarge]}]
    NIC004 | p5en.48xlarge and p5.48xlarge have 16 (EFA on 16) and 32 (EFA on 32) network cards |
    give each type a group of its own, or write efa: false
# EFA and placement.
node_groups: [{name: h200, instance_type: g6e.4xlarge, efa: true}]
    NIC001 | g6e.4xlarge has no EFA | sizes that have it: g6e.8xlarge, g6e.12xlarge, g6e.16xlarge,
    g6e.24xlarge, g6e.48xlarge
node_groups: [{name: h200, instance_type: inf2.48xlarge, efa: true}]
    NIC001 | inf2.48xlarge has no EFA | no size of inf2 supports it; write efa: false, or use
    another family
node_groups: [{name: h200, instance_type: m7i.4xlarge, efa_layout: efa}]
    NIC002 | efa_layout has no effect without EFA interfaces | remove it
node_groups: [{name: h200, efa: false}]
    NIC003 | p5en.48xlarge has 3200 Gbit/s of EFA that stay unused | write efa: auto
node_groups: [{name: h200, instance_type: t3.xlarge, placement: cluster}]
    PLC001 | t3.xlarge does not support cluster placement groups | write placement: none
node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d}, placement: cluster}]
    PLC002 | a placement group in addition to the reservation cr-0a1b2c3d | write placement: auto
# Labels and tags.
node_groups: [{name: h200, labels: {a: x y}}]
    K8S001 | 'x y' is not a valid label value | use letters, digits, - _ . and at most 63 of them
node_groups: [{name: h200,
  labels: {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: b}}]
    K8S001 | 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' is not a label name
    | use letters, digits, - _ . and at most 63 of them
tags: {'AWS:': llm}
    SPC035 | 'AWS:' is reserved | write team
tags: {owner: '100% {ours}'}
    SPC036 | '100% {ours}' has % { } | use letters, digits, spaces and _.:/=+-@
tags: {'cost#center': x}
    SPC036 | 'cost#center' has # | use letters, digits, spaces and _.:/=+-@
""")


@pytest.mark.parametrize(("fragment", "code", "message", "help"), EXPECTED)
def test_expected_findings(fragment: str, code: str, message: str, help: str) -> None:
    found = message_and_help(fragment, code)
    assert found[0] == message
    assert found[1] == help or (help.endswith(",") and found[1].startswith(f"{help} "))


def test_the_only_type_of_a_list_is_the_place() -> None:
    listed = "instance_type: null, instance_types: [hpc7a.96xlarge]"
    [finding] = [f for f in check_fragment(group(listed)).findings if f.code == "CAP003"]
    assert finding.path == ("node_groups", 0, "instance_types", 0)
    assert "default" not in finding.message


FINE = [
    group("instance_type: p5en.48xlarge"),
    group("efa: false, count: 1"),
    group("instance_type: m7i.4xlarge, efa: false, count: 4"),
    group("instance_type: m7i.4xlarge, placement: none, count: 4"),
    group("count: {min: 0, max: 1}"),
    group("count: {min: 2, max: 2}"),
    group(f"count: 64, {BLOCK}"),
    group(f"{BLOCK}, placement: none"),
    group(f"{HELD}, placement: none"),
    group(f"{HELD}, placement: {{group: beside}}"),
    group("placement: none, count: 1"),
    group(f"{types('g6e.12xlarge', 'g6.12xlarge')}, capacity: spot, placement: none"),
    group(f"{types('p5en.48xlarge', 'p5.48xlarge')}, efa: false, count: 1"),
    group("threads_per_core: 2"),
    group("instance_type: m7g.4xlarge, threads_per_core: 1"),
    group("mig: {1g.18gb: 7}"),
    group("mig: {3g.71gb: 1, 4g.71gb: 1}"),
    group("scratch: /scratch"),
    group("labels: {nvidia.com/gpu: h200, empty: ''}"),
    group(f"labels: {{{'a' * 63}: b}}"),
    group("instance_type: hpc7a.96xlarge, count: 4", OHIO),
    "tags: {aws-team: llm, team: 'aws:'}",
    "tags: {owner: 'Zoë + Žiga: a_b.c/d=e-f@g', 'cost center': 4711}",
]


def test_a_local_zone_is_opted_in_to() -> None:
    text = group(f"instance_type: p6e-gb200.36xlarge, count: 18, {BLOCK}", DALLAS)
    assert codes(text) == ["CAP031", "NET027"]
    assert message_and_help(text, "NET027")[1] == (
        "aws ec2 modify-availability-zone-group --region us-east-1 --group-name us-east-1-dfw-2 "
        "--opt-in-status opted-in"
    )
    existing = "network: {vpc: vpc-0a1b2c3d, zone: use1-dfw2-az1, private_subnets: [subnet-0a1b]}\n"
    assert "NET027" not in codes(text.replace(DALLAS, existing))


@pytest.mark.parametrize("fragment", FINE)
def test_no_findings(fragment: str) -> None:
    # A block without dates has a note.
    assert [code for code in codes(fragment) if code != "CAP031"] == []


PROCESSORS = ("c7a.48xlarge", "c7i.48xlarge")
"""Of the same size: one has twice the cores, the other two threads per core."""


@pytest.mark.parametrize("target", ["parallelcluster", "pcs", "eks", "batch"])
@pytest.mark.parametrize("threads", ["", ", threads_per_core: 1"])
def test_threads_do_not_depend_on_the_order_of_types(target: str, threads: str) -> None:
    """Only a spec that says so switches SMT off, whichever type comes first."""
    fields = [f"{types(*each)}, count: 2{threads}" for each in (PROCESSORS, PROCESSORS[::-1])]
    found = [set(codes(group(each), target)) for each in fields]
    assert found[0] == found[1]
    refused = bool(threads) and target != "pcs"
    assert bool(found[0] & {"CAP103", "CAP004"}) == refused
    if not threads:
        files = [Fragments(target).files(group(each)) for each in fields]
        for words in ("DisableSimultaneousMultithreading", "CoreCount"):
            assert not any(words in text for each in files for text in each.values())


@pytest.mark.parametrize(
    ("target", "most"), [("parallelcluster", 40), ("pcs", 49), ("eks", 49), ("batch", 49)]
)
def test_the_tags_of_nodes_are_counted(target: str, most: int) -> None:
    """EC2 takes 50, of which one is Name; ParallelCluster keeps ten for itself."""
    fragments = Fragments(target)
    for count in (most, most + 1):
        tags = ", ".join(f"t{number}: a" for number in range(1, count))
        text = group(f"tags: {{{tags}}}", "tags: {t0: a, t1: b}\n")
        assert ("LIM003" in fragments.codes(text)) is (count > most)
