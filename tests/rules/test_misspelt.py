"""Names, versions and places that services take as they are, and that mean nothing."""

import pytest

from clustergen.base.findings import Severity
from tests.support.checking import codes, found

ADDON = "kubernetes: {{addons: [{{name: {}}}]}}"
VERSION = "kubernetes: {{addons: [{{name: {}, version: {}}}]}}"
IMAGE = "targets: {{batch: {{image: '{}'}}}}"
LUSTRE = "storage: [{{mount: /fsx, type: fsx-lustre, size: 1200GiB, "
REPOSITORY = f"{LUSTRE}data_repositories: [{{{{path: /data, s3: '{{}}'}}}}]}}}}]"
SCRATCH = f"{LUSTRE}deployment: scratch-2, import_from: '{{}}'}}}}]"
MEMBER = """login: {{}}
users: [{}]
slurm: {{accounting: managed, accounts: [{{name: vision, users: [{}]}}]}}"""
ALICE = "{name: alice, uid: 2001}"
MOUNT = "software: {{os: {}}}\nstorage: [{{mount: {}, type: efs}}]"
DIGEST = "sha256:" + "0a" * 32

FOUND = [
    ("eks", ADDON.format("vpc-cnii"), "K8S008", "did you mean vpc-cni?"),
    ("eks", ADDON.format("core-dns"), "K8S008", "did you mean coredns?"),
    ("eks", ADDON.format("ebs-csi-driver"), "K8S008", "did you mean aws-ebs-csi-driver?"),
    ("eks", ADDON.format("aws-fsx-csi"), "K8S008", "did you mean aws-fsx-csi-driver?"),
    ("eks", ADDON.format("karpenter"), "K8S008", "install its chart"),
    ("eks", VERSION.format("coredns", "1.11.4-eksbuild.2"), "K8S009", "write v1.11.4-eksbuild.2"),
    ("eks", VERSION.format("coredns", "v1.11.4"), "K8S009", "--addon-name coredns"),
    ("eks", VERSION.format("coredns", "1.11.4"), "K8S009", "--addon-name coredns"),
    ("batch", IMAGE.format("train:1.4 latest"), "IMG604", "train:1.4"),
    ("batch", IMAGE.format("https://docker.io/library/python:3.13"), "IMG604", "docker pull"),
    ("batch", IMAGE.format("111122223333.dkr.ecr.us-east-1.amazonaws.com/Train:1"), "IMG604", ""),
    ("batch", IMAGE.format("train:"), "IMG604", ""),
    ("batch", IMAGE.format("train@sha256:abc"), "IMG604", ""),
    ("pcs", REPOSITORY.format("s3://corpus/*"), "FSX028", "write s3://corpus/"),
    ("pcs", REPOSITORY.format("s3://corpus/a/b*.tar"), "FSX028", "write s3://corpus/a/"),
    ("pcs", SCRATCH.format("s3://corpus/part-?"), "FSX028", "write s3://corpus/"),
    ("pcs", MEMBER.format(ALICE, "zoe"), "SLM022", "add it to users"),
    ("parallelcluster", MOUNT.format("ubuntu2404", "/home/ubuntu"), "STG061", "/shared/ubuntu"),
    ("pcs", MOUNT.format("alinux2023", "/home/ec2-user/"), "STG061", "/shared/ec2-user"),
    ("hyperpod-slurm", MOUNT.format("ubuntu2404", "/home/ubuntu"), "STG061", "/shared/ubuntu"),
]


@pytest.mark.parametrize(("target", "text", "code", "help"), FOUND)
def test_found(target: str, text: str, code: str, help: str) -> None:
    findings = [finding for finding in found(text, target) if finding.code == code]
    assert len(findings) == 1, codes(text, target)
    assert help in findings[0].help


RIGHT = [
    ("eks", ADDON.format("kubecost_kubecost")),
    ("eks", ADDON.format("aws-s3-files-csi-driver")),
    ("eks", VERSION.format("kubecost_kubecost", "2.8.0")),
    ("eks", VERSION.format("kube-proxy", "v1.35.0-minimal-eksbuild.3")),
    ("batch", IMAGE.format("python")),
    ("batch", IMAGE.format("public.ecr.aws/docker/library/python:3.13-slim")),
    ("batch", IMAGE.format("Localhost:5000/a__b/c--d:V1")),
    ("batch", IMAGE.format(f"111122223333.dkr.ecr.us-east-1.amazonaws.com/a/b:1@{DIGEST}")),
    ("pcs", REPOSITORY.format("s3://corpus/data")),
    ("pcs", MEMBER.format(ALICE, "alice, ubuntu, root")),
    ("pcs", MEMBER.format("", "zoe")),
    ("eks", MOUNT.format("alinux2023", "/home/ec2-user")),
    ("pcs", MOUNT.format("ubuntu2404", "/home/ubuntu/data")),
]
CODES = {"K8S007", "K8S008", "K8S009", "IMG604", "FSX028", "SLM022", "STG061"}


@pytest.mark.parametrize(("target", "text"), RIGHT)
def test_not_found(target: str, text: str) -> None:
    assert CODES & set(codes(text, target)) == set()


def test_members_from_a_directory() -> None:
    directory = """targets:
  parallelcluster:
    directory:
      domain: corp.example.com
      address: ldaps://corp.example.com
      secret: arn:aws:secretsmanager:us-east-1:111122223333:secret:reader-a1b2c3
      read_only_user: cn=reader,dc=corp,dc=example,dc=com"""
    text = MEMBER.format(ALICE, "zoe").replace("login: {}", "")
    text = text.replace(
        "managed",
        "{endpoint: db.example.com, secret: 'arn:aws:secretsmanager:"
        "us-east-1:111122223333:secret:slurm-a1b2c3'}",
    )
    assert "SLM022" in codes(text, "parallelcluster")
    assert "SLM022" not in codes(f"{text}\n{directory}", "parallelcluster")


def test_a_misspelt_name_stops_and_an_unusual_place_does_not() -> None:
    severities = {
        code: {f.severity for f in found(text, target) if f.code == code}
        for target, text, code, _ in FOUND
    }
    stopping = {code for code, found in severities.items() if Severity.ERROR in found}
    assert stopping == {"K8S008", "K8S009", "IMG604"}
