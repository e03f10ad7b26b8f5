"""Rules on storage that exists, on EFS, keys and buckets."""

import pytest

from tests.rules.storage.planning import codes, validated
from tests.support.checking import check_fragment

FS = "id: fs-0123456789abcdef0"
KEY = "111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (f"type: fsx-lustre, existing: {{{FS}}}", []),
        (f"type: fsx-lustre, efa: true, existing: {{{FS}}}", []),
        (f"type: fsx-lustre, on_delete: retain, existing: {{{FS}}}", []),
        (f"type: fsx-lustre, on_delete: delete, existing: {{{FS}}}", ["STG004"]),
        (f"type: fsx-lustre, size: 1200GiB, existing: {{{FS}}}", ["STG004"]),
        (f"type: fsx-lustre, size: 7GiB, throughput: 3, existing: {{{FS}}}", ["STG004", "STG004"]),
        (f"type: fsx-openzfs, size: 64GiB, existing: {{{FS}}}", ["STG004"]),
        (f"type: fsx-openzfs, existing: {{{FS}}}", []),
        (f"type: efs, one_zone: true, existing: {{{FS}}}", ["STG004"]),
        ("type: ebs, size: 9GiB, existing: {id: vol-0123456789abcdef0}", ["STG004"]),
        ("type: ebs, existing: {id: vol-0123456789abcdef0}", []),
        (f"type: ebs, existing: {{{FS}}}", ["STG005"]),
        ("type: fsx-lustre, existing: {id: fc-0123456789abcdef0}", ["STG005"]),
        ("type: file-cache, existing: {id: fc-0123456789abcdef0}", []),
        (f"type: file-cache, existing: {{{FS}}}", ["STG005"]),
        ("type: file-cache", ["STG001"]),
        ("type: fsx-ontap", ["STG001"]),
        (f"type: fsx-ontap, existing: {{{FS}}}", ["STG002"]),
        (f"type: fsx-ontap, existing: {{{FS}, volume_id: fsvol-0123456789abcdef0}}", []),
        (f"type: fsx-ontap, existing: {{{FS}, volume_id: vol-0123456789abcdef0}}", ["SPC024"]),
        (f"type: fsx-openzfs, existing: {{{FS}, volume_id: fsvol-0123456789abcdef0}}", []),
        (f"type: fsx-openzfs, existing: {{{FS}, mount_name: abc}}", ["STG006"]),
        (f"type: fsx-lustre, existing: {{{FS}, volume_id: fsvol-0123456789abcdef0}}", ["STG006"]),
        (f"type: efs, existing: {{{FS}, dns_name: nfs.example.com}}", []),
        ("type: ebs, existing: {id: vol-0123456789abcdef0, dns_name: a.b}", ["STG006"]),
        ("type: efs, throughput: 1", ["STG018"]),
        ("type: efs, throughput_mode: bursting, throughput: 1", ["STG018"]),
        ("type: efs, throughput_mode: provisioned", ["STG018"]),
        ("type: efs, throughput_mode: provisioned, throughput: 1", []),
        ("type: efs, encrypted: false", ["STG055"]),
        ("type: ebs, size: 9GiB, encrypted: false", ["STG055"]),
        ("type: efs, backups: 35d", []),
        ("type: efs, backups: 34d", ["STG019"]),
        ("type: ebs, size: 9GiB, backups: 7d", ["STG019"]),
        (f"type: efs, kms_key: 'arn:aws:kms:us-east-1:{KEY}'", []),
        (f"type: efs, kms_key: 'arn:aws:kms:us-east-2:{KEY}'", ["STG020"]),
        (f"type: efs, kms_key: 'arn:aws-cn:kms:us-east-1:{KEY}'", ["STG020"]),
        (f"type: efs, kms_key: 'arn:aws:s3:us-east-1:{KEY}'", ["SPC024"]),
        ("type: efs, kms_key: 'arn:aws:kms:us-east-1:111122223333:alias/a'", ["STG020"]),
        ("type: s3, bucket: s3://training-data/some/prefix", []),
        ("type: s3, bucket: s3://training.data", []),
        ("type: s3, bucket: s3://training..data", ["STG021"]),
        ("type: s3, bucket: s3://10.0.0.1", ["STG021"]),
        ("type: s3, bucket: s3://amzn-s3-demo-bucket", ["STG021"]),
        (f"type: s3, bucket: s3://training-data, existing: {{{FS}}}", ["STG022"]),
        ("type: s3, bucket: s3://training-data, on_delete: delete", ["STG022"]),
        (
            "type: fsx-lustre, size: 1200GiB, data_repositories: [{path: /a, s3: s3://xn--data/a}]",
            ["STG021"],
        ),
    ],
)
def test_storage(fields: str, expected: list[str]) -> None:
    assert codes(f"storage: [{{mount: /data, {fields}}}]") == expected


def test_a_key_of_another_region_is_one_finding() -> None:
    volume = f"{{kms_key: 'arn:aws:kms:us-east-2:{KEY}'}}"
    text = f"node_groups: [{{name: h200, root_volume: {volume}}}]"
    found = {each.code for each in check_fragment(text, "pcs").findings}
    assert "STG020" in found
    assert "STG025" not in found


def test_settings_of_existing_storage_are_marked_at_their_key() -> None:
    found = validated(f"storage: [{{mount: /x, type: fsx-lustre, size: 9GiB, existing: {{{FS}}}}}]")
    assert [(f.path, f.on_key) for f in found] == [(("storage", 0, "size"), True)]
