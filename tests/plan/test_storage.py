"""Storage of a spec, planned."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.plan.model import Bucket, Lustre, Ontap, OpenZfs, Ref, Storage
from clustergen.plan.storage import output_stem
from tests.rules.storage.planning import codes, planned

FS = "id: fs-0123456789abcdef0"


def _one(fields: str, *, region: str = "us-east-1", zone: str = "use1-az6") -> Storage:
    place = f"region: {region}\nnetwork: {{zone: {zone}}}\n"
    plan = planned(f"{place}storage: [{{mount: /fsx, {fields}}}]")
    (item,) = plan.storage
    return item


def _lustre(fields: str, **place: str) -> Lustre:
    item = _one(f"type: fsx-lustre, {fields}", **place)
    assert isinstance(item, Lustre)
    return item


US, SLOW, NONE, CHINA = (
    {"region": "us-east-1", "zone": "use1-az6"},
    {"region": "il-central-1", "zone": "ilc1-az1"},
    {"region": "sa-east-1", "zone": "sae1-az1"},
    {"region": "cn-north-1", "zone": "cnn1-az1"},
)
TIERED = "storage_class: intelligent-tiering"


@pytest.mark.parametrize(
    ("fields", "place", "expected"),
    [
        # deployment, throughput, size, metadata IOPS
        ("efa: false", US, ("PERSISTENT_2", 250, 1200, None)),
        ("efa: true", US, ("PERSISTENT_2", 250, 19200, "AUTOMATIC")),
        ("throughput: 100", US, ("PERSISTENT_1", 100, 1200, None)),
        ("throughput: 500", NONE, ("PERSISTENT_2", 500, 1200, None)),
        ("size: 2400GiB", NONE, ("PERSISTENT_1", 200, 2400, None)),
        ("size: 2400GiB", SLOW, ("PERSISTENT_2", 250, 2400, None)),
        ("size: 2400GiB", CHINA, ("PERSISTENT_1", 200, 2400, None)),
        ("storage_class: hdd", US, ("PERSISTENT_1", 12, 6000, None)),
        ("deployment: scratch-2", US, ("SCRATCH_2", None, 1200, None)),
        ("metadata_iops: auto", NONE, ("PERSISTENT_2", 250, 1200, "AUTOMATIC")),
        ("metadata_iops: 6000", US, ("PERSISTENT_2", 250, 1200, 6000)),
        (TIERED, US, ("PERSISTENT_2", 4000, None, 6000)),
        (f"{TIERED}, metadata_iops: auto", US, ("PERSISTENT_2", 4000, None, 6000)),
    ],
)
def test_lustre_defaults(fields: str, place: dict[str, str], expected: tuple[object, ...]) -> None:
    item = _lustre(fields, **place)
    assert (item.deployment, item.throughput, item.size_gib, item.metadata_iops) == expected


@pytest.mark.parametrize(
    ("fields", "left_open"),
    [
        ("size: 4800GiB, deployment: persistent-2, throughput: 250", set()),
        ("size: 4800GiB, throughput: 250", {"deployment"}),
        ("size: 4800GiB", {"deployment", "throughput"}),
        ("compression: lz4", {"deployment", "throughput", "size"}),
        ("efa: true", {"deployment", "throughput", "size", "metadata_iops"}),
        ("efa: true, metadata_iops: auto", {"deployment", "throughput", "size"}),
        ("storage_class: intelligent-tiering", {"deployment", "throughput", "metadata_iops"}),
        ("deployment: scratch-2", {"size"}),
        (f"existing: {{{FS}}}", set()),
    ],
)
def test_decisions_are_reported(fields: str, left_open: set[str]) -> None:
    plan = planned(f"storage: [{{mount: /fsx, type: fsx-lustre, {fields}}}]")
    decided = [d for d in plan.decisions if d.path[0] == "storage"]
    assert {d.path[-1] for d in decided} == left_open
    assert all(d.text.startswith("/fsx: ") for d in decided)


@pytest.mark.parametrize(
    ("fields", "place", "dns_name"),
    [
        ("type: fsx-lustre", US, ".fsx.us-east-1.amazonaws.com"),
        ("type: fsx-openzfs", SLOW, ".fsx.il-central-1.amazonaws.com"),
        ("type: efs", CHINA, ".efs.cn-north-1.amazonaws.com.cn"),
    ],
)
def test_names_of_existing_file_systems(fields: str, place: dict[str, str], dns_name: str) -> None:
    item = _one(f"{fields}, existing: {{{FS}}}", **place)
    assert item.id == "fs-0123456789abcdef0"
    assert getattr(item, "dns_name", None) == "fs-0123456789abcdef0" + dns_name


def test_given_names_of_existing_file_systems() -> None:
    names = f"existing: {{{FS}, dns_name: fs.example.com, mount_name: abcdefgh}}"
    item = _lustre(names)
    assert (item.dns_name, item.mount_name) == ("fs.example.com", "abcdefgh")
    volume = f"existing: {{{FS}, volume_id: fsvol-0123456789abcdef0}}"
    ontap = _one(f"type: fsx-ontap, {volume}")
    assert isinstance(ontap, Ontap)
    assert (ontap.dns_name, ontap.volume) == (None, "fsvol-0123456789abcdef0")


def test_new_file_systems_refer_to_the_foundation() -> None:
    item = _lustre("size: 1200GiB")
    assert (item.id, item.dns_name, item.mount_name) == (
        Ref("StorageFsxId"),
        Ref("StorageFsxDnsName"),
        Ref("StorageFsxMountName"),
    )
    zfs = _one("type: fsx-openzfs, size: 64GiB")
    assert isinstance(zfs, OpenZfs)
    assert (zfs.volume, zfs.throughput) == (Ref("StorageFsxVolumeId"), 160)


def test_a_bucket_exists() -> None:
    item = _one("type: s3, bucket: s3://training-data/some/prefix")
    assert isinstance(item, Bucket)
    assert (item.bucket, item.prefix, item.existing, item.id) == (
        "training-data",
        "some/prefix",
        True,
        "training-data",
    )


@pytest.mark.parametrize(
    ("fields", "retain", "days"),
    [
        ("type: efs", True, None),
        ("type: efs, on_delete: delete", False, None),
        ("type: fsx-lustre, backups: 7d", True, 7),
        ("type: fsx-lustre, backups: 36h", True, 2),
    ],
)
def test_lasting_resources_are_retained(fields: str, retain: bool, days: int | None) -> None:
    item = _one(fields)
    assert (item.retain, item.backup_days) == (retain, days)


def test_repositories_in_the_services_spelling() -> None:
    repository = "{path: /d, s3: s3://data/d, import: [new, changed], export: [deleted]}"
    (found,) = _lustre(f"data_repositories: [{repository}]").repositories
    assert (found.imports, found.exports) == (("NEW", "CHANGED"), ("DELETED",))


def test_invalid_groups_give_a_finding_and_others_are_planned() -> None:
    text = "storage: [{mount: /a, type: fsx-ontap}, {mount: /b, type: efs}]"
    plan = planned(text)
    assert [item.mount for item in plan.storage] == ["/b"]
    assert [item.path for item in plan.storage] == [("storage", 1)]
    assert codes(text) == ["STG001"]


@pytest.mark.parametrize(
    ("mount", "stem"),
    [("/fsx", "StorageFsx"), ("/home", "StorageHome"), ("/data/x", "StorageDataX")],
)
def test_output_stem(mount: str, stem: str) -> None:
    assert output_stem(mount) == stem


def test_the_name_of_the_foundations_stack_is_free() -> None:
    assert output_stem("/security/group") != "StorageSecurityGroup"


@given(st.from_regex(r"/[A-Za-z0-9._/-]{0,30}", fullmatch=True))
def test_output_stem_is_a_logical_id(mount: str) -> None:
    assert re.fullmatch(r"Storage[A-Za-z0-9]*", output_stem(mount))


@given(st.lists(st.from_regex(r"(/[a-cA-C._-]{1,3}){1,3}", fullmatch=True), unique=True))
def test_output_stems_differ(mounts: list[str]) -> None:
    assert len({output_stem(mount) for mount in mounts}) == len(mounts)
