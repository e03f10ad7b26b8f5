"""`cdk bootstrap`, `deploy`, `diff` and `destroy` for each target, against an AWS on localhost."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clustergen import targets
from clustergen.base import resources
from clustergen.targets.parallelcluster.limits import VERSION
from stacks import app
from stacks.rendered import RenderedCluster
from tests.stacks.synthesized import new_app
from tests.support.aws import ACCOUNT, Aws, put_parameter
from tests.support.tables import flow
from tests.support.tiers import IN_REAL

SPECS = resources.tree("specs")
# Each target with a spec that shows what it has: scripts, login nodes, EFA, file systems.
DEPLOYED = flow("""
{pcs: p5-on-demand, parallelcluster: hyperpod-slurm-legacy, hyperpod-slurm: p5-on-demand,
  hyperpod-eks: hyperpod-eks-new-cluster, eks: p5-on-demand, batch: p5-on-demand}
""")
HOW = ("--all", "--require-approval", "never", "--method", "direct")


def test_every_target_is_deployed() -> None:
    assert set(DEPLOYED) == set(targets.NAMES)


@dataclass(frozen=True, slots=True)
class Deployment:
    """One cluster on its way: what is expected of it, and what there is of it."""

    aws: Aws
    rendered: RenderedCluster
    templates: dict[str, dict[str, Any]]
    """Of its stacks, by their names, in the order of deployment."""

    @property
    def region(self) -> str:
        return self.rendered.plan.region

    def resources(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Stack, logical id and resource of all that is to be made."""
        for stack, template in self.templates.items():
            for name, resource in template["Resources"].items():
                yield stack, name, resource

    def prepare(self) -> None:
        """What AWS itself would have: the parameters that name images."""
        for template in self.templates.values():
            for parameter in template.get("Parameters", {}).values():
                if str(parameter.get("Default", "")).startswith("/aws/service/"):
                    put_parameter(self.region, parameter["Default"], "ami-0a1b2c3d4e5f67890")

    def recorded(self, type: str) -> list[dict[str, Any]]:
        from tests.support import moto_types

        found = (moto_types.recorded(stack, type) for stack in self.templates)
        return [record.properties for each in found for record in each.values()]


Deployments = Mapping[str, Deployment]


def rendered(target: str) -> RenderedCluster:
    """A target's cluster, as the command line asks for it, with a name of its own."""
    spec = str(SPECS / f"{DEPLOYED[target]}.yaml")
    context = {"spec": spec, "target": target, "set": f"name=test-{target}"}
    # What is destroyed later cannot be protected.
    context["termination_protection"] = "false"
    found, findings = app.render_cluster(context)
    assert found is not None, findings
    return found


@pytest.fixture
def deployments(aws: Aws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deployments:
    """By target; the stacks of all of them are one assembly, in `tmp_path`."""
    monkeypatch.setenv("CDK_DEFAULT_ACCOUNT", ACCOUNT)
    monkeypatch.setenv("CDK_VALIDATION", "true")
    made = new_app(str(tmp_path))
    clusters = {target: rendered(target) for target in DEPLOYED}
    built = {target: app.build(made, cluster) for target, cluster in clusters.items()}
    stacks = {target: [stack.stack_name for stack in own] for target, own in built.items()}
    templates = {stack.stack_name: stack.template for stack in made.synth().stacks}
    own = {target: {name: templates[name] for name in names} for target, names in stacks.items()}
    return {target: Deployment(aws, clusters[target], own[target]) for target in clusters}


@IN_REAL
def test_clusters_come_and_go(
    deployments: Deployments, aws: Aws, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """A command for all targets at a time: to start one takes longer than most of its work."""

    def run(*arguments: str) -> str:
        done = aws.cdk(*arguments, region="us-east-1", app=tmp_path)
        assert done.status == 0, done.output
        return done.output

    for this in deployments.values():
        this.prepare()
    assert "bootstrapped" in run("bootstrap")

    first = run("deploy", *HOW)
    for target, this in deployments.items():
        with subtests.test("deployed", target=target):
            assert [stack for stack in this.templates if f"✅  {stack}" not in first] == []
            assert [stack for stack in this.templates if unmade(this, stack)] == []
            LOOK[target](this)

    before = {target: outputs(this) for target, this in deployments.items()}
    again, differs = run("deploy", *HOW), run("diff", "--method", "template")
    for target, this in deployments.items():
        with subtests.test("deployed again", target=target):
            same = [stack for stack in this.templates if f"✅  {stack} (no changes)" in again]
            assert same == list(this.templates), again
            assert outputs(this) == before[target]
    count = sum(len(this.templates) for this in deployments.values())
    assert differs.count("There were no differences") == count, differs

    kept = {target: bucket(this) for target, this in deployments.items()}
    run("destroy", "--all", "--force")
    for target, this in deployments.items():
        with subtests.test("destroyed", target=target):
            assert left(this) == retained(this)
            delete_bucket(this, kept[target])


def delete_bucket(this: Deployment, name: str) -> None:
    """Fails where there is none."""
    made = this.aws.client("s3", this.region)
    for each in made.list_object_versions(Bucket=name).get("Versions", []):
        made.delete_object(Bucket=name, Key=each["Key"], VersionId=each["VersionId"])
    made.delete_bucket(Bucket=name)


def unmade(this: Deployment, stack: str) -> set[str]:
    """Resources of a stack that were not made."""
    client = this.aws.client("cloudformation", this.region)
    made = client.describe_stack_resources(StackName=stack)["StackResources"]
    expected = {name for where, name, _ in this.resources() if where == stack}
    return expected - {each["LogicalResourceId"] for each in made}


def outputs(this: Deployment) -> dict[str, str]:
    client = this.aws.client("cloudformation", this.region)
    described = [client.describe_stacks(StackName=s)["Stacks"][0] for s in this.templates]
    return {o["OutputKey"]: o["OutputValue"] for each in described for o in each.get("Outputs", [])}


def left(this: Deployment) -> set[str]:
    """What is still there of the types that are recorded."""
    from tests.support import moto_types

    return {name for stack in this.templates for name in moto_types.recorded(stack)}


def retained(this: Deployment) -> set[str]:
    from tests.support import moto_types

    made = [(name, resource) for _, name, resource in this.resources()]
    kept = [(n, r["Type"]) for n, r in made if r.get("DeletionPolicy", "").startswith("Retain")]
    return {name for name, type in kept if moto_types.knows(type)}


def bucket(this: Deployment) -> str:
    """The foundation's bucket of scripts."""
    return outputs(this)["ScriptsBucketName"]


def objects(this: Deployment) -> dict[str, str]:
    """Key -> text of what is in the bucket of scripts."""
    made = this.aws.client("s3", this.region)
    name = bucket(this)
    listed = made.list_objects_v2(Bucket=name).get("Contents", [])
    bodies = {e["Key"]: made.get_object(Bucket=name, Key=e["Key"])["Body"] for e in listed}
    return {key: body.read().decode() for key, body in bodies.items()}


def look_at_pcs(this: Deployment) -> None:
    """Node groups stand in subnets that exist, with launch templates that have every card."""
    ec2 = this.aws.client("ec2", this.region)
    subnets = {each["SubnetId"] for each in ec2.describe_subnets()["Subnets"]}
    groups = this.recorded("AWS::PCS::ComputeNodeGroup")
    assert groups
    for group in groups:
        assert set(group["SubnetIds"]) <= subnets
    sizes = {interfaces(ec2, group["CustomLaunchTemplate"]["TemplateId"]) for group in groups}
    assert 32 in sizes
    named = keys(groups, bucket(this))
    assert named
    assert named <= set(objects(this))


def interfaces(ec2: Any, template: str) -> int:
    answer = ec2.describe_launch_template_versions(LaunchTemplateId=template)
    data = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return len(data.get("NetworkInterfaces", []))


def keys(document: Any, bucket: str) -> set[str]:
    """The keys in `bucket` that stand in a document."""
    return set(re.findall(rf's3://{re.escape(bucket)}/([^"]+)', json.dumps(document)))


def look_at_parallelcluster(this: Deployment) -> None:
    """The provider exists, and gets the configuration with values in it."""
    (properties,) = this.recorded("Custom::PclusterCluster")
    text = json.dumps(properties)
    assert properties["ClusterName"] == this.rendered.plan.name
    assert "${" not in text
    (provider,) = this.recorded("AWS::CloudFormation::Stack")
    assert provider["TemplateURL"] == (
        f"https://{this.region}-aws-parallelcluster.s3.{this.region}.amazonaws.com"
        f"/parallelcluster/{VERSION}/templates/custom_resource/cluster.yaml"
    )
    ec2 = this.aws.client("ec2", this.region)
    subnet = properties["ClusterConfiguration"]["HeadNode"]["Networking"]["SubnetId"]
    assert subnet in {each["SubnetId"] for each in ec2.describe_subnets()["Subnets"]}
    named = keys(properties, bucket(this))
    assert named
    assert named <= set(objects(this))


def look_at_hyperpod(this: Deployment) -> None:
    """Instance groups find their lifecycle scripts, with values where placeholders were."""
    (cluster,) = this.recorded("AWS::SageMaker::Cluster")
    text = json.dumps(cluster)
    assert "${" not in text
    there = objects(this)
    for group in cluster["InstanceGroups"]:
        config = group["LifeCycleConfig"]
        prefix = config["SourceS3Uri"].split("/", 3)[3]
        entry = config.get("OnCreate") or config["OnInitComplete"]
        assert f"{prefix.rstrip('/')}/{entry}" in there
    for key, script in there.items():
        if key.endswith(".json"):
            assert "${" not in script
            json.loads(script)


def look_at_hyperpod_eks(this: Deployment) -> None:
    look_at_hyperpod(this)
    (cluster,) = this.recorded("AWS::SageMaker::Cluster")
    eks = this.aws.client("eks", this.region)
    arn = cluster["Orchestrator"]["Eks"]["ClusterArn"]
    assert arn.rpartition("/")[2] in eks.list_clusters()["clusters"]


def look_at_eks(this: Deployment) -> None:
    """Each node group of the spec is there, with a launch template that has every card."""
    plan = this.rendered.plan
    eks, ec2 = (this.aws.client(service, this.region) for service in ("eks", "ec2"))
    for group in plan.node_groups:
        found = eks.describe_nodegroup(clusterName=plan.name, nodegroupName=group.name)["nodegroup"]
        assert found["scalingConfig"]["maxSize"] == group.max
        template = found["launchTemplate"]["id"]
        assert interfaces(ec2, template) == len(group.interfaces)
        answer = ec2.describe_launch_template_versions(LaunchTemplateId=template)
        data = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
        assert b"NodeConfig" in base64.b64decode(data["UserData"])
    addons = {each["AddonName"] for each in this.recorded("AWS::EKS::Addon")}
    assert {"vpc-cni", "coredns", "kube-proxy"} <= addons


def look_at_batch(this: Deployment) -> None:
    """Queues have environments, whose launch templates have every card and find their scripts."""
    ec2 = this.aws.client("ec2", this.region)
    subnets = {each["SubnetId"] for each in ec2.describe_subnets()["Subnets"]}
    environments = this.recorded("AWS::Batch::ComputeEnvironment")
    assert environments
    for environment in environments:
        given = environment["ComputeResources"]
        assert set(given["Subnets"]) <= subnets
        assert ":instance-profile/" in given["InstanceRole"]
        template = given["LaunchTemplate"]["LaunchTemplateId"]
        assert interfaces(ec2, template) == 32
        answer = ec2.describe_launch_template_versions(LaunchTemplateId=template)
        data = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
        text = base64.b64decode(data["UserData"]).decode()
        named = set(re.findall(rf"s3://{re.escape(bucket(this))}/([^\s']+)", text))
        assert named
        assert named <= set(objects(this))
    for queue in this.recorded("AWS::Batch::JobQueue"):
        [order] = queue["ComputeEnvironmentOrder"]
        assert ":compute-environment/" in order["ComputeEnvironment"]


LOOK: dict[str, Callable[[Deployment], None]] = {
    "pcs": look_at_pcs,
    "parallelcluster": look_at_parallelcluster,
    "hyperpod-slurm": look_at_hyperpod,
    "hyperpod-eks": look_at_hyperpod_eks,
    "eks": look_at_eks,
    "batch": look_at_batch,
}
