"""Imports of running clusters: real clients of AWS, whose calls a fake account answers."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from clustergen.base.account import Clients
from clustergen.cli import main
from clustergen.importing import Answers, Imported, imported_live
from tests.importing import test_batch, test_eks, test_hyperpod, test_pcs
from tests.importing.templates import SUBNET, VPC, codes, lossless, spec_of
from tests.support import service_models

SUBNETS = {
    "DescribeSubnets": {
        "Subnets": [
            {"SubnetId": SUBNET.format(n), "AvailabilityZoneId": f"euw1-az{n}", "VpcId": VPC}
            for n in (1, 2)
        ]
    }
}
VERSIONS = {"DescribeLaunchTemplateVersions": test_pcs.VERSIONS}
PCS = {
    "GetCluster": {"cluster": test_pcs.CLUSTER},
    "ListComputeNodeGroups": {"computeNodeGroups": [{"id": "pcs_2", "name": "gpu"}]},
    "GetComputeNodeGroup": {"computeNodeGroup": test_pcs.GROUPS[0]},
    "ListQueues": {"queues": [{"id": "pcs_3", "name": "all"}]},
    "GetQueue": {"queue": test_pcs.QUEUES[0]},
    **VERSIONS,
    **SUBNETS,
}
EKS = {
    "DescribeCluster": {"cluster": test_eks.CLUSTER},
    "ListNodegroups": {"nodegroups": ["gpu"]},
    "DescribeNodegroup": {"nodegroup": test_eks.NODEGROUP},
    "ListAddons": {"addons": ["vpc-cni"]},
    "DescribeAddon": {"addon": test_eks.ADDON},
    "DescribePodIdentityAssociation": {"association": test_eks.ASSOCIATION},
    "ListAccessEntries": {"accessEntries": [test_eks.ENTRY["principalArn"]]},
    "DescribeAccessEntry": {"accessEntry": test_eks.ENTRY},
    "ListAssociatedAccessPolicies": test_eks.POLICIES,
    "DescribeLaunchTemplateVersions": test_eks.VERSIONS,
    **SUBNETS,
}
BATCH = {
    "DescribeJobQueues": test_batch.DESCRIBED["queues"],
    "DescribeComputeEnvironments": test_batch.DESCRIBED["environments"],
    "DescribeSchedulingPolicies": test_batch.DESCRIBED["policies"],
    "DescribeJobDefinitions": test_batch.DESCRIBED["jobs"],
    "DescribeLaunchTemplateVersions": test_batch.DESCRIBED["templates"],
    **SUBNETS,
}
HYPERPOD = {
    "DescribeCluster": {
        **test_hyperpod.EKS,
        "ClusterArn": "arn:aws:sagemaker:eu-west-1:111122223333:cluster/abcdefghijkl",
        "ClusterStatus": "InService",
        "Orchestrator": {
            "Eks": {"ClusterArn": "arn:aws:eks:eu-west-1:111122223333:cluster/production"}
        },
        "VpcConfig": {**test_hyperpod.NETWORK, "Subnets": [SUBNET.format(1)]},
    },
    "ListTags": {"Tags": [{"Key": "team", "Value": "speech"}]},
    **SUBNETS,
}


def fake(answers: Mapping[str, Any], made: list[str] | None = None) -> Clients:
    """Clients whose calls are checked by botocore, and answered from ``answers``."""

    def answer(model: Any, **_: Any) -> tuple[Any, Any]:
        if made is not None:
            made.append(model.name)
        found = answers.get(model.name, {"Error": {"Code": "NotFound", "Message": model.name}})
        return SimpleNamespace(status_code=400 if "Error" in found else 200), dict(found)

    def clients(service: str, region: str) -> Any:
        client = service_models.session().create_client(service, region)
        client.meta.events.register("before-call", answer)
        return client

    return clients


def bring(cluster: str, answers: Mapping[str, Any], made: list[str] | None = None) -> Imported:
    given = Answers("", "eu-west-1", "", {})
    return imported_live([cluster], given, fake(answers, made))


@pytest.mark.parametrize(
    ("cluster", "answers"),
    [
        ("pcs/production", PCS),
        ("eks/production", EKS),
        ("hyperpod/on-eks", HYPERPOD),
        ("batch/research", BATCH),
    ],
)
def test_a_running_cluster_is_a_spec(cluster: str, answers: Mapping[str, Any]) -> None:
    made: list[str] = []
    result = lossless(bring(cluster, answers, made))
    spec = spec_of(result)
    assert spec.network.vpc == VPC
    assert spec.network.private_subnets[0].zone == "euw1-az1"
    assert "IMP002" not in codes(result)
    assert all(call.startswith(("Get", "List", "Describe")) for call in made)


def test_a_running_cluster_of_parallelcluster() -> None:
    from tests.importing.clusters import SMALL

    place = {"AvailabilityZoneId": "euw1-az1", "VpcId": VPC}
    keys = ("ResourcesS3Bucket", "ArtifactS3RootDirectory", "ConfigVersion")
    parameters = [{"ParameterKey": key, "ParameterValue": "x"} for key in keys]
    body = SimpleNamespace(read=SMALL.encode)
    answers = {
        "DescribeStacks": {"Stacks": [{"StackName": "c", "Parameters": parameters}]},
        "GetObject": {"Body": body},
        "DescribeSubnets": {"Subnets": [{"SubnetId": "subnet-0a1b2c3d4e5f67890", **place}]},
    }
    result = lossless(bring("parallelcluster/c", answers))
    assert "name: c\n" in result.text
    assert VPC in result.text


def test_a_cluster_of_config_maps_has_no_access_entries() -> None:
    cluster = {**test_eks.CLUSTER, "accessConfig": {"authenticationMode": "CONFIG_MAP"}}
    made: list[str] = []
    result = bring("eks/production", {**EKS, "DescribeCluster": {"cluster": cluster}}, made)
    assert result.text
    assert "ListAccessEntries" not in made


def test_queues_of_another_name_are_not_the_cluster() -> None:
    result = bring("batch/speech", BATCH)
    assert codes(result) == ["IMP023"]
    assert "speech-" in result.findings[0].message


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("ExpiredToken", "log in again"),
        ("AccessDeniedException", "pcs:GetCluster"),
        ("ThrottlingException", "in a minute"),
        ("ResourceNotFoundException", "--region"),
    ],
)
def test_an_error_of_aws_is_a_finding(code: str, word: str) -> None:
    error = {"Error": {"Code": code, "Message": "no"}}
    result = bring("pcs/production", {**PCS, "GetCluster": error})
    (finding,) = result.findings
    assert (finding.code, finding.could_not) == ("IMP023", True)
    assert word in f"{finding.message} {finding.help}"
    assert result.text == ""


def test_without_a_network_there_is_a_way_out() -> None:
    from botocore.exceptions import EndpointConnectionError

    def clients(service: str, region: str) -> Any:
        def fail(**_: Any) -> Any:
            raise EndpointConnectionError(endpoint_url="https://pcs")

        return SimpleNamespace(get_cluster=fail)

    result = imported_live(["pcs/production"], Answers("", "eu-west-1", "", {}), clients)
    assert codes(result) == ["IMP023"]
    assert "network" in result.findings[0].help


def test_the_command_reads_a_running_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("clustergen.base.account.clients", fake(PCS))
    assert main(["import", "--live", "pcs/production", "--region", "eu-west-1"]) == 0
    assert "name: production" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["ecs/a", "--region", "eu-west-1"], ["pcs/a"], ["pcs/", "--region", "eu-west-1"]]
)
def test_bad_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "--live", *arguments]) == 2
    assert "--live" in capsys.readouterr().err
