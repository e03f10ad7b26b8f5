"""No edit that can lose data is reported as less, whatever holds the data and on every target."""

import pytest

from clustergen.bundle.effects import Effect, effects, worst
from tests.support.checking import Fragments

PC = "parallelcluster"
TARGETS = (PC, "pcs", "hyperpod-slurm", "hyperpod-eks", "eks", "batch")
SLURM = TARGETS[:3]
KEY = "kms_key: 'arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789'"
EXISTING = "existing: {id: fs-0a1b2c3d4e5f67890, mount_name: abcdefgh}"
LUSTRE = "type: fsx-lustre, size: 4800GiB"
DISKS = "type: fsx-lustre, deployment: persistent-1, storage_class: hdd"
ZFS = "type: fsx-openzfs, size: 1000GiB"
EFS = "type: efs"
METRICS = "monitoring: {metrics: %s}"


def at(mount: str, *kinds: str) -> str:
    """Storage at a mount; a second kind, and a third, at others."""
    places = zip((mount, "/second", "/third"), kinds, strict=False)
    return f"storage: [{', '.join(f'{{mount: {place}, {kind}}}' for place, kind in places)}]"


def work(*kinds: str) -> str:
    return at("/work", *kinds)


LOSSES: dict[str, tuple[str, str]] = {
    **{
        f"{name}: {what}": (work(kind), after)
        for name, kind in (("Lustre", LUSTRE), ("OpenZFS", ZFS), ("EFS", EFS))
        for what, after in (
            ("gone", ""),
            ("gone, with another one that stays", at("/second", EFS)),
            ("another mount", at("/other", kind)),
            ("another key", work(f"{kind}, {KEY}")),
            ("an existing one in its place", work(f"type: fsx-lustre, {EXISTING}")),
            ("without protection", work(f"{kind}, on_delete: delete")),
            ("another cluster", f"name: other\n{work(kind)}"),
            ("another foundation", f"foundation: shared\n{work(kind)}"),
        )
    },
    "Lustre becomes OpenZFS": (work(LUSTRE), work(ZFS)),
    "Lustre becomes EFS": (work(LUSTRE), work(EFS)),
    "EFS becomes Lustre": (work(EFS), work(LUSTRE)),
    "two change places": (work(LUSTRE, EFS), work(EFS, LUSTRE)),
    "Lustre: another class": (work(LUSTRE), work(f"{LUSTRE}, deployment: scratch-2")),
    "Lustre: hard disks": (work(LUSTRE), work(f"{DISKS}, size: 6000GiB, throughput: 12")),
    "Lustre: EFA": (work(LUSTRE), work(f"{LUSTRE}, efa: true")),
    "OpenZFS: compression": (work(ZFS), work(f"{ZFS}, compression: none")),
    "OpenZFS: two zones' kind": (work(ZFS), work(f"{ZFS}, deployment: single-az-1")),
    "EFS: one zone": (work(EFS), work(f"{EFS}, one_zone: true")),
    "EFS: encryption": (work(EFS), work(f"{EFS}, encrypted: false")),
    "without protection, and gone": (work(f"{LUSTRE}, on_delete: delete"), ""),
    "one of several": (work(LUSTRE, ZFS, EFS), work(LUSTRE, ZFS)),
}


def found(target: str, before: str, after: str) -> list[Effect]:
    made = Fragments(target)
    return effects(made.files(before), made.files(after))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("edit", LOSSES)
def test_a_file_system(target: str, edit: str) -> None:
    """Also where the cluster rejects the change: the foundation is another stack."""
    assert worst(found(target, *LOSSES[edit])) == "data-at-risk"


@pytest.mark.parametrize("edit", ["name: other", "foundation: shared"])
def test_a_bundle_without_a_script_has_names_in_its_templates(edit: str) -> None:
    stack = f"targets: {{eks: {{install: stack}}}}\n{work(LUSTRE)}"
    assert worst(found("eks", stack, f"{edit}\n{stack}")) == "data-at-risk"
    assert worst(found("eks", work(LUSTRE), stack)) != "data-at-risk"


@pytest.mark.parametrize("target", ["pcs", "hyperpod-slurm", "batch"])
def test_an_empty_file_system_where_another_one_was_mounted(target: str) -> None:
    every = found(target, work(f"type: fsx-lustre, {EXISTING}"), work(LUSTRE))
    [lost] = [each for each in every if each.kind == "data-at-risk"]
    assert lost.subject == "StorageWork"
    assert "empty" in lost.text


@pytest.mark.parametrize("target", ["parallelcluster", "eks", "hyperpod-eks"])
def test_a_mount_that_cannot_change_keeps_its_file_system(target: str) -> None:
    every = found(target, work(f"type: fsx-lustre, {EXISTING}"), work(LUSTRE))
    assert worst(every) == "refused"


@pytest.mark.parametrize("target", TARGETS)
def test_a_new_file_system_hides_nothing(target: str) -> None:
    assert worst(found(target, "", work(LUSTRE))) not in ("data-at-risk", "refused")


@pytest.mark.parametrize("kind", ["managed-prometheus", "self-hosted"])
def test_metrics(kind: str) -> None:
    assert worst(found("eks", METRICS % kind, METRICS % "none")) == "data-at-risk"


@pytest.mark.parametrize("target", SLURM)
def test_a_workspace(target: str) -> None:
    assert worst(found(target, METRICS % "managed-prometheus", "")) == "data-at-risk"


OWN = "created_by: cluster"
EBS = "type: ebs, size: 500GiB"
RAID = f"{EBS}, raid: {{level: 1, volumes: 2}}"
VOLUMES = (f"{LUSTRE}, {OWN}", f"{EFS}, throughput_mode: bursting, {OWN}", EBS, RAID)


@pytest.mark.parametrize("kind", VOLUMES)
def test_storage_that_parallelcluster_creates(kind: str) -> None:
    before = work(kind)
    for after in ("", at("/other", kind), work(f"{kind}, on_delete: delete")):
        assert worst(found(PC, before, after)) == "data-at-risk", after


IN_CLUSTER = (
    "targets: {parallelcluster: {overlay: {SharedStorage: "
    "[{Name: own, MountDir: /own, StorageType: %s}]}}}"
)


@pytest.mark.parametrize("policy", ["", "Delete"])
@pytest.mark.parametrize(
    ("kind", "size", "kept"),
    [("FsxLustre", "StorageCapacity: 1200", "Retain"), ("Ebs", "Size: 100", "Snapshot")],
)
def test_storage_without_a_policy_is_deleted(kind: str, size: str, kept: str, policy: str) -> None:
    settings = f"{kind}, {kind}Settings: {{{size}"
    before = IN_CLUSTER % f"{settings}, DeletionPolicy: {kept}}}"
    words = f"{settings}, DeletionPolicy: {policy}}}" if policy else f"{settings}}}"
    assert worst(found(PC, before, IN_CLUSTER % words)) == "data-at-risk"


REJECTED = [
    (work(RAID), work(EBS)),
    (work(EBS), work(RAID)),
    (work(EBS), work(EBS.replace("500", "600"))),
    (work(EBS), work(f"{EBS}, snapshot: snap-0a1b2c3d4e5f67890")),
    (work(EBS), work("type: ebs, existing: {id: vol-0a1b2c3d4e5f67895}")),
    (work(VOLUMES[0]), work(f"{VOLUMES[0]}, {KEY}")),
    (work(VOLUMES[0]), work(LUSTRE)),
]


@pytest.mark.parametrize(("before", "after"), REJECTED)
def test_parallelcluster_keeps_what_it_cannot_change(before: str, after: str) -> None:
    assert worst(found(PC, before, after)) == "refused"


@pytest.mark.parametrize("target", TARGETS)
def test_addresses_of_a_network_that_cannot_be_replaced(target: str) -> None:
    """CloudFormation would have to attach one address to two NAT gateways: nothing changes."""
    every = found(target, work(ZFS), f"network: {{cidr: 10.7.0.0/16}}\n{work(ZFS)}")
    assert worst(every) == "refused"
    assert "NatGateway" in next(each.text for each in every if each.subject == "Vpc")


def test_addresses_of_an_existing_network() -> None:
    """It has no NAT gateway of ours: OpenZFS gets other clients, for which it is replaced."""
    given = "network: {vpc: vpc-0a1b2c3d4e5f67890, cidr: %s, private_subnets: [%s]}\n"
    subnet = "{id: subnet-0a1b2c3d4e5f67890, zone: us-east-1a}"
    before, after = (given % (cidr, subnet) + work(ZFS) for cidr in ("10.0.0.0/16", "10.1.0.0/16"))
    assert worst(found("pcs", before, after)) == "data-at-risk"
