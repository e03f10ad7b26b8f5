"""Placeholders get values of the form that their names promise."""

import re

import pytest

from tests.validators.placeholders import fill, names_in

NAMES = [
    ("PrivateSubnetId", r"subnet-0[0-9a-f]{16}"),
    ("VpcId", r"vpc-0[0-9a-f]{16}"),
    ("ClusterSecurityGroupId", r"sg-0[0-9a-f]{16}"),
    ("StorageFsxId", r"fs-0[0-9a-f]{16}"),
    ("StorageHomeVolumeId", r"fsvol-0[0-9a-f]{16}"),
    ("StorageFsxDnsName", r"fs-0[0-9a-f]{16}\.fsx\.cn-north-1\.amazonaws\.com\.cn"),
    ("StorageFsxMountName", r"[a-z]{8}"),
    ("ScriptsBucketName", r"[a-z0-9-]{3,63}"),
    ("NodeInstanceProfileArn", r"arn:aws-cn:iam::\d{12}:instance-profile/AWSPCS-\w+"),
]


@pytest.mark.parametrize(("name", "form"), NAMES)
def test_forms(name: str, form: str) -> None:
    assert re.fullmatch(form, fill(f"${{{name}}}", region="cn-north-1"))


def test_outputs_come_first() -> None:
    assert fill("a: ${VpcId}, b: ${X}", {"X": "1", "VpcId": "vpc-1"}) == "a: vpc-1, b: 1"


def test_values_of_a_file_system_agree() -> None:
    file_system, dns_name = fill("${StorageFsxId} ${StorageFsxDnsName}").split()
    assert dns_name.startswith(f"{file_system}.fsx.")


def test_unknown_names_are_rejected() -> None:
    with pytest.raises(LookupError, match="Colour"):
        fill("${Colour}")


def test_names_are_listed_once() -> None:
    assert names_in("${B} ${A} ${B} $C $(D)") == ["B", "A"]
