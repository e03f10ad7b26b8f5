"""``clustergen diff --live``: the cluster that runs, as one side."""

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from clustergen import targets
from clustergen.analysis.diff import Spec, compare, order
from clustergen.analysis.diff.live import Live, LiveError
from clustergen.base import account
from clustergen.bundle.effects import Files
from clustergen.checking import compiler
from clustergen.cli import main
from clustergen.spec import placeholders, source
from tests.support import service_models

pytestmark = pytest.mark.sampled(3)

PC, PCS, HP, HPE = "parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks"
BATCH = "batch"
SPEC = """\
version: 1
name: small
region: us-east-1
network: {zone: use1-az6}
node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 2}]
storage: [{mount: /work, type: fsx-lustre, size: 4800GiB}]
"""
Answer = Mapping[str, Any] | tuple[str, str]
Answers = Callable[[str, str, Mapping[str, Any]], Answer]
MISSING = ("ValidationError", "Stack with id small does not exist")


def spec(text: str, target: str) -> Spec:
    document, _ = source.read_text(text)
    return Spec("spec.yaml", document, compiler.check_text(text, targets=[target]))


class Client:
    """A client of botocore, which validates requests and answers against the service's model."""

    def __init__(self, service: str, answers: Answers) -> None:
        self.client = service_models.session().create_client(service, "us-east-1")
        self.service, self.answers = service, answers

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        from botocore.stub import Stubber

        def call(**arguments: Any) -> Any:
            stubber = Stubber(self.client)
            answer = self.answers(self.service, operation, arguments)
            if isinstance(answer, tuple):
                stubber.add_client_error(operation, *answer)
            else:
                stubber.add_response(operation, dict(answer), arguments)
            with stubber:
                return getattr(self.client, operation)(**arguments)

        return call


def deployed(files: Files, target: str) -> Answers:
    """What AWS answers where this bundle is deployed."""
    template = json.loads(files["foundation.template.json"])
    outputs = {name: f"{name.lower()}-0a1b2c3d" for name in template["Outputs"]}
    known = json.loads(files["bundle.json"])["stacks"].values()
    stacks = {each["name"]: each.get("template", "") for each in known}

    def answer(service: str, operation: str, arguments: Mapping[str, Any]) -> Answer:
        name = arguments.get("StackName", "")
        path = stacks.get(name, "")
        match operation:
            case "get_template":
                return {"TemplateBody": files[path]} if path in files else MISSING
            case "describe_stacks" if name == "small" and target == PC:
                return {"Stacks": [_cluster()]}
            case "describe_stacks":
                return {"Stacks": [_stack(name, outputs)]} if path in files else MISSING
            case "get_object":
                assert arguments["Key"] == "clusters/small/configs/cluster-config.yaml"
                text, _ = placeholders.fill(files["cluster.yaml"], outputs)
                return {"Body": io.BytesIO(text.encode())}
            case "describe_cluster" if target in (HP, HPE):
                text, _ = placeholders.fill(files["create-cluster.json"], outputs)
                return _described(json.loads(text))
        return MISSING

    return answer


def _stack(name: str, outputs: Mapping[str, str]) -> dict[str, Any]:
    listed = [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()]
    return {
        "StackName": name,
        "CreationTime": "2026-11-20T00:00:00Z",
        "StackStatus": "CREATE_COMPLETE",
        "Outputs": listed,
    }


def _cluster() -> dict[str, Any]:
    known = {"ResourcesS3Bucket": "a-bucket", "ArtifactS3RootDirectory": "clusters/small"}
    listed = [{"ParameterKey": key, "ParameterValue": value} for key, value in known.items()]
    tags = [{"Key": "parallelcluster:version", "Value": "3.16.1"}]
    return {**_stack("small", {}), "Parameters": listed, "Tags": tags}


def _described(request: dict[str, Any]) -> dict[str, Any]:
    """What DescribeCluster says of a cluster that this request has made."""
    groups = []
    for group in request["InstanceGroups"]:
        count = group.pop("InstanceCount")
        least = group.pop("MinInstanceCount", None)
        group |= {"CurrentCount": count, "TargetCount": count, "ThreadsPerCore": 2}
        groups.append(group | ({} if least is None else {"MinCount": least}))
    kept = ("ClusterName", "NodeRecovery", "VpcConfig", "NodeProvisioningMode", "ClusterRole")
    return {
        "ClusterArn": "arn:aws:sagemaker:us-east-1:111122223333:cluster/abcdefghijkl",
        "ClusterStatus": "InService",
        **{name: request[name] for name in kept if name in request},
        "InstanceGroups": groups,
    }


def kinds(target: str, text: str, answers: Answers) -> list[tuple[str, str]]:
    new = spec(text, target)
    found = compare(Live(new, lambda service, _: Client(service, answers)), new, target)
    assert found
    return [(each.effect.kind, each.effect.subject) for each in found.effects]


@pytest.fixture(params=targets.NAMES)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def running(target: str, text: str = SPEC) -> Answers:
    files = spec(text, target).files(target)
    assert files
    return deployed(files, target)


def test_a_cluster_as_in_the_spec_has_no_difference(target: str) -> None:
    assert kinds(target, SPEC, running(target)) == []


def test_an_edit_has_its_effect(target: str) -> None:
    edited = SPEC.replace("size: 4800GiB", "size: 4800GiB, deployment: scratch-2")
    assert ("data-at-risk", "StorageWork") in kinds(target, edited, running(target))


def test_drift_is_a_difference(target: str) -> None:
    """The cluster has more nodes than the spec."""
    grown = SPEC.replace("count: 2", "count: 5")
    wanted = {PC: "needs-stop", BATCH: "in-place"}.get(target, "removes-nodes")
    assert wanted in dict(kinds(target, SPEC, running(target, grown)))


def test_a_cluster_that_does_not_exist(target: str) -> None:
    assert kinds(target, SPEC, lambda *_: MISSING) == [("in-place", target)]


def test_every_target_has_its_way_to_drain() -> None:
    assert set(order.DRAIN) == set(targets.NAMES)


def test_a_missing_permission_is_named() -> None:
    denied = ("AccessDenied", "you are not authorized")
    with pytest.raises(LiveError, match="the policy needs cloudformation:GetTemplate"):
        kinds(PCS, SPEC, lambda *_: denied)


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"{SPEC}targets: {{pcs: {{}}}}\n"
    Path("spec.yaml").write_text(text)
    answers = running(PCS, text)
    monkeypatch.setattr(account, "clients", lambda service, _: Client(service, answers))
    assert main(["diff", "--live", "spec.yaml"]) == 0
    assert capsys.readouterr().out.startswith("pcs: none")
    refused = ("AccessDenied", "no")
    monkeypatch.setattr(account, "clients", lambda service, _: Client(service, lambda *_: refused))
    assert main(["diff", "--live", "spec.yaml"]) == 2
    assert "AccessDenied" in capsys.readouterr().err
