"""Rules on FSx for Lustre and OpenZFS, at the edges of what is allowed."""

import pytest

from tests.rules.storage.planning import codes, lustre, only, validated
from tests.support.tables import rows

HDD = "deployment: persistent-1, storage_class: hdd"
TIERED = "storage_class: intelligent-tiering"
EFA = "efa: true, throughput"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        # Sizes of scratch and plain SSD.
        ("size: 1199GiB", ["FSX004"]),
        ("size: 1200GiB", []),
        ("size: 2400GiB", []),
        ("size: 3600GiB", ["FSX004"]),
        ("size: 4800GiB", []),
        ("size: 1200GiB, deployment: scratch-2", []),
        ("size: 3600GiB, deployment: scratch-2", ["FSX004"]),
        ("size: 3600GiB, deployment: scratch-1", []),
        ("size: 4800GiB, deployment: scratch-1", ["FSX004"]),
        ("size: 4800GiB, deployment: persistent-1, throughput: 50", []),
        # Sizes of HDD, by throughput.
        (f"size: 6000GiB, throughput: 12, {HDD}", []),
        (f"size: 5400GiB, throughput: 12, {HDD}", ["FSX004"]),
        (f"size: 5400GiB, throughput: 40, {HDD}", []),
        (f"size: 6000GiB, throughput: 40, {HDD}", ["FSX004"]),
        # Sizes with EFA, by throughput.
        (f"size: 38400GiB, {EFA}: 125", []),
        (f"size: 19200GiB, {EFA}: 125", ["FSX004"]),
        (f"size: 19200GiB, {EFA}: 250", []),
        (f"size: 9600GiB, {EFA}: 250", ["FSX004"]),
        (f"size: 9600GiB, {EFA}: 500", []),
        (f"size: 4800GiB, {EFA}: 500", ["FSX004"]),
        (f"size: 4800GiB, {EFA}: 1000", []),
        (f"size: 2400GiB, {EFA}: 1000", ["FSX004"]),
        ("size: 2400GiB, efa: false, throughput: 1000", []),
        # Throughput.
        ("size: 1200GiB, throughput: 1000", []),
        ("size: 1200GiB, throughput: 999", ["FSX002"]),
        ("size: 1200GiB, throughput: 200", []),
        ("size: 1200GiB, deployment: persistent-2, throughput: 200", ["FSX002"]),
        ("size: 1200GiB, deployment: persistent-1, throughput: 250", ["FSX002"]),
        (f"size: 6000GiB, throughput: 50, {HDD}", ["FSX002"]),
        ("size: 4800GiB, efa: true, throughput: 200, deployment: persistent-2", ["FSX002"]),
        ("size: 1200GiB, deployment: scratch-1, throughput: 200", ["FSX003"]),
        ("size: 1200GiB, deployment: scratch-2, throughput: 200", ["FSX003"]),
        # Media.
        ("size: 6000GiB, deployment: persistent-2, storage_class: hdd", ["FSX001"]),
        ("size: 6000GiB, deployment: scratch-2, storage_class: hdd", ["FSX001"]),
        (f"deployment: persistent-1, {TIERED}", ["FSX001"]),
        (f"deployment: persistent-2, {TIERED}", []),
        ("size: 6000GiB, storage_class: hdd", []),
        (f"size: 6000GiB, throughput: 12, drive_cache: true, {HDD}", []),
        ("size: 1200GiB, drive_cache: true", ["FSX012"]),
        # Intelligent-tiering.
        (TIERED, []),
        (f"size: 1200GiB, {TIERED}", ["FSX013"]),
        (f"throughput: 4000, {TIERED}", []),
        (f"throughput: 250, {TIERED}", ["FSX002"]),
        (f"throughput: 6000, {TIERED}", ["FSX002"]),
        (f"throughput: 2000000, {TIERED}", []),
        (f"throughput: 2004000, {TIERED}", ["FSX002"]),
        (f"read_cache: none, {TIERED}", []),
        (f"read_cache: 31GiB, {TIERED}", ["FSX014"]),
        (f"read_cache: 32GiB, {TIERED}", []),
        (f"read_cache: 32GiB, throughput: 8000, {TIERED}", ["FSX014"]),
        (f"read_cache: 131073GiB, {TIERED}", ["FSX014"]),
        (f"read_cache: 131073GiB, throughput: 8000, {TIERED}", []),
        ("size: 1200GiB, read_cache: auto", ["FSX014"]),
        # EFA and metadata.
        ("size: 4800GiB, efa: true, deployment: scratch-2", ["FSX005"]),
        ("size: 4800GiB, efa: true, deployment: persistent-1", ["FSX005"]),
        ("size: 1200GiB, metadata_iops: auto", []),
        ("size: 1200GiB, metadata_iops: auto, deployment: scratch-2", ["FSX015"]),
        ("size: 1200GiB, metadata_iops: 1500, deployment: persistent-1", ["FSX015"]),
        ("size: 1200GiB, metadata_iops: 1500", []),
        ("size: 1200GiB, metadata_iops: 1501", ["FSX016"]),
        ("size: 1200GiB, metadata_iops: 0", ["FSX016"]),
        ("size: 1200GiB, metadata_iops: 6000", []),
        ("size: 1200GiB, metadata_iops: 9000", ["FSX016"]),
        ("size: 1200GiB, metadata_iops: 192000", []),
        ("size: 1200GiB, metadata_iops: 204000", ["FSX016"]),
        (f"metadata_iops: 12000, {TIERED}", []),
        (f"metadata_iops: auto, {TIERED}", []),
        (f"metadata_iops: 3000, {TIERED}", ["FSX016"]),
        # Backups and keys.
        ("size: 1200GiB, backups: 90d", []),
        ("size: 1200GiB, backups: 91d", ["FSX023"]),
        ("size: 1200GiB, backups: 36h", ["STG003"]),
        ("size: 1200GiB, backups: 0d", ["STG003"]),
        ("size: 1200GiB, backups: 7d, deployment: scratch-2", ["FSX021"]),
        (
            "size: 1200GiB, deployment: scratch-2, "
            "kms_key: 'arn:aws:kms:us-east-1:111122223333:key/mrk-" + "0" * 32 + "'",
            ["FSX022"],
        ),
    ],
)
def test_lustre(fields: str, expected: list[str]) -> None:
    assert codes(lustre(fields)) == expected


@pytest.mark.parametrize(
    ("fields", "message", "help"),
    rows("""
size: 4800GiB, efa: true, throughput: 250
    4800GiB is not a size for an EFA-enabled file system at 250 MB/s/TiB | nearest: 19200GiB
    (multiples of 19200GiB); it is one at throughput: 1000
size: 40000GiB, efa: true, throughput: 250
    40000GiB is not a size for an EFA-enabled file system at 250 MB/s/TiB | nearest: 38400GiB or
    57600GiB (multiples of 19200GiB)
size: 3000GiB
    3000GiB is not a size for a persistent-2 ssd file system | nearest: 2400GiB or 4800GiB (1200GiB,
    multiples of 2400GiB)
size: 5400GiB, throughput: 12, deployment: persistent-1, storage_class: hdd
    5400GiB is not a size for a persistent-1 hdd file system at 12 MB/s/TiB | nearest: 6000GiB
    (multiples of 6000GiB); it is one at throughput: 40
size: 1200GiB, throughput: 300
    300 is not a throughput of a persistent-2 ssd file system | nearest: 250 or 500; available: 125,
    250, 500, 1000 MB/s per TiB
"""),
)
def test_lustre_help(fields: str, message: str, help: str) -> None:
    finding = only(lustre(fields))
    assert (finding.message, finding.help) == (message, help)


def test_typical_storage_has_no_findings() -> None:
    fragment = """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, metadata_iops: auto, efa: true,
     compression: lz4, on_delete: retain, data_repositories: [{path: /data,
       s3: "s3://my-bucket/data", import: [new, changed, deleted], export: [new, changed]}]}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}
  - mount: /data
    type: fsx-lustre
    existing: {id: fs-0123456789abcdef0, dns_name: fs.example.com, mount_name: abcdefgh}
"""
    assert validated(fragment) == []


REPOSITORIES = [
    ("/data", "s3://one/a", "/models", "s3://one/b", []),
    ("/data", "s3://one/a", "/data2", "s3://one/a2", []),
    ("/data", "s3://one/a", "/data/x", "s3://one/b", ["FSX018"]),
    ("/data/x", "s3://one/a", "/data", "s3://one/b", ["FSX018"]),
    ("/data", "s3://one/a", "/data/", "s3://one/b", ["FSX018"]),
    ("/", "s3://one/a", "/data", "s3://one/b", ["FSX018"]),
    ("/data", "s3://one", "/models", "s3://one/b", ["FSX019"]),
    ("/data", "s3://one/a/b", "/models", "s3://one/a/", ["FSX019"]),
    ("/data", "s3://one", "/models", "s3://one2", []),
    ("/data", "s3://one/a", "/data", "s3://one/a", ["FSX018", "FSX019"]),
]


@pytest.mark.parametrize(("path", "s3", "other_path", "other_s3", "expected"), REPOSITORIES)
def test_repositories_overlap(
    path: str, s3: str, other_path: str, other_s3: str, expected: list[str]
) -> None:
    repositories = f"[{{path: {path}, s3: {s3}}}, {{path: {other_path}, s3: {other_s3}}}]"
    assert codes(lustre(f"size: 1200GiB, data_repositories: {repositories}")) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("deployment: scratch-1, size: 1200GiB", ["FSX017"]),
        ("deployment: scratch-2, size: 1200GiB", []),
        ("deployment: persistent-1, size: 1200GiB", []),
        (TIERED, ["FSX017"]),
        ("size: 1200GiB, backups: 7d", ["FSX020"]),
        ("size: 1200GiB, deployment: scratch-2, backups: 7d", ["FSX021"]),
    ],
)
def test_repositories_of(fields: str, expected: list[str]) -> None:
    linked = f"{fields}, data_repositories: [{{path: /data, s3: s3://training-data}}]"
    assert codes(lustre(linked)) == expected


EFA_LUSTRE = lustre("size: 4800GiB, throughput: 1000, efa: true")
KNOWN = "{id: fs-0123456789abcdef0}"


@pytest.mark.parametrize(
    ("group", "storage", "expected"),
    [
        ("instance_type: p5en.48xlarge", EFA_LUSTRE, []),
        ("instance_type: p6-b200.48xlarge", EFA_LUSTRE, []),
        ("instance_type: p4d.24xlarge", EFA_LUSTRE, ["FSX006"]),
        ("instance_type: p4d.24xlarge", lustre(f"efa: true, existing: {KNOWN}"), ["FSX006"]),
        ("instance_type: p4d.24xlarge", lustre(f"existing: {KNOWN}"), []),
        ("instance_type: trn2.48xlarge", EFA_LUSTRE, ["FSX006"]),
        ("instance_type: p5en.48xlarge, efa: false", EFA_LUSTRE, ["FSX007"]),
        ("instance_type: m7i.4xlarge", EFA_LUSTRE, ["FSX007"]),
    ],
)
def test_efa_clients(group: str, storage: str, expected: list[str]) -> None:
    found = codes(f"node_groups: [{{name: h200, count: 1, {group}}}]\n{storage}")
    assert [code for code in found if code.startswith("FSX")] == expected


@pytest.mark.parametrize(
    ("os", "expected"),
    [("alinux2023", []), ("ubuntu2204", []), ("rhel9", []), ("rhel8", ["FSX008"])],
)
def test_efa_system(os: str, expected: list[str]) -> None:
    assert codes(f"software: {{os: {os}}}\n{EFA_LUSTRE}") == expected
    assert codes(f"software: {{os: {os}}}\n{lustre('size: 1200GiB')}") == []


@pytest.mark.parametrize(
    ("first", "second", "efa", "expected"),
    [
        ("10.42.0.0/20", "10.42.240.0/20", True, []),
        ("10.42.0.0/20", "10.43.0.0/20", True, ["FSX009"]),
        ("10.42.0.0/20", "10.43.0.0/20", False, []),
        ("10.42.0.0/16", "10.42.0.0/28", True, []),
    ],
)
def test_efa_network(first: str, second: str, efa: bool, expected: list[str]) -> None:
    network = f"""
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {{id: subnet-0a1b2c3d4e5f67890, cidr: {first}}}
    - {{id: subnet-0a1b2c3d4e5f67891, cidr: {second}}}
"""
    storage = lustre(f"size: 4800GiB, throughput: 1000, efa: {str(efa).lower()}")
    found = codes(network + storage)
    assert [code for code in found if code.startswith("FSX")] == expected


@pytest.mark.parametrize(
    ("region", "zone", "fields", "expected"),
    [
        ("us-east-1", "use1-az6", "throughput: 1000", []),
        ("us-east-1", "use1-dfw2-az1", "throughput: 250", []),
        ("us-east-1", "use1-dfw2-az1", "throughput: 500", ["throughput"]),
        ("us-east-1", "us-east-1-dfw-2a", "efa: true", ["efa"]),
        ("us-east-1", "use1-dfw2-az1", TIERED, ["storage_class"]),
        ("il-central-1", "ilc1-az1", "throughput: 125", []),
        ("il-central-1", "ilc1-az1", "throughput: 500", ["throughput"]),
        ("sa-east-1", "sae1-az1", "throughput: 125", ["deployment"]),
        ("sa-east-1", "sae1-az1", "throughput: 100", []),
        ("sa-east-1", "sae1-az1", "deployment: auto", []),
        ("cn-north-1", "cnn1-az1", "throughput: 250", ["deployment"]),
    ],
)
def test_regions_of_persistent_2(region: str, zone: str, fields: str, expected: list[str]) -> None:
    place = f"region: {region}\nnetwork: {{zone: {zone}}}\n"
    found = [f for f in validated(place + lustre(fields)) if f.code.startswith("FSX01")]
    assert [(f.path[-1], f.severity.value) for f in found] == [(e, "warning") for e in expected]


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ("type: fsx-openzfs, size: 64GiB", ["FSX011"]),
        (f"type: fsx-lustre, existing: {KNOWN}", ["FSX011"]),
        ("type: efs", []),
    ],
)
def test_regions_of_fsx(storage: str, expected: list[str]) -> None:
    place = "region: me-south-1\nnetwork: {zone: mes1-az1}\n"
    found = codes(f"{place}storage: [{{mount: /home, {storage}}}]")
    assert [code for code in found if code.startswith("FSX")] == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("size: 63GiB", ["FSX024"]),
        ("size: 64GiB", []),
        ("size: 524288GiB", []),
        ("size: 524289GiB", ["FSX024"]),
        ("throughput: 160", ["STG007"]),
        ("size: 64GiB, throughput: 160", []),
        ("size: 64GiB, throughput: 64", ["FSX025"]),
        ("size: 64GiB, throughput: 10240", []),
        ("size: 64GiB, throughput: 64, deployment: single-az-1", []),
        ("size: 64GiB, throughput: 160, deployment: single-az-ha-1", ["FSX025"]),
        ("size: 64GiB, throughput: 160, deployment: single-az-ha-2", []),
        ("size: 100GiB, iops: 299", ["FSX026"]),
        ("size: 100GiB, iops: 300", []),
        ("size: 100GiB, iops: 200000", []),
        ("size: 100GiB, iops: 200001", ["FSX026"]),
        ("size: 64GiB, backups: 91d", ["FSX023"]),
    ],
)
def test_openzfs(fields: str, expected: list[str]) -> None:
    assert codes(f"storage: [{{mount: /home, type: fsx-openzfs, {fields}}}]") == expected
