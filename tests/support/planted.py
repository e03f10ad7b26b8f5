"""Secrets of many kinds, and files that have them in many places."""

import base64
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_LONG: Final = "aZ3kQ9xW7mB2vN8cL5jH1gF4dS6pR0tYuIoEwQzXcVbNmKjHgFdSaPoIuYtReWqA1B2C3D4E5F6G7H8I9J0"
_HEX: Final = "0123456789abcdef" * 4


class Kind(NamedTuple):
    """A text with a secret, and the parts of it that must not be shown."""

    text: str
    parts: tuple[str, ...]


def _whole(text: str) -> Kind:
    return Kind(text, (text,))


def _pem() -> Kind:
    kind = "-----{} RSA PRIVATE KEY-----\n"
    text = f"{kind.format('BEGIN')}{_LONG[:60]}\n{_LONG[10:70]}\n{kind.format('END')}"
    return Kind(text, (_LONG[:60], _LONG[10:70], _LONG[:20]))


KINDS: Final = (
    _whole("AKIA" + "A1B2C3D4E5F6G7H8"),
    _whole("wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY"),
    _whole("IQoJb3JpZ2lu" + _LONG),
    _whole("nvapi-" + _LONG[:64]),
    _whole("xoxb-1234-" + _LONG[:24]),
    _whole("hf_" + _LONG[:34]),
    _whole("ghp_" + _LONG[:36]),
    _whole("github_pat_" + _LONG[:60]),
    _whole("glpat-" + _LONG[:20]),
    _whole("sk-proj-" + _LONG[:48]),
    _whole("sk-ant-api03-" + _LONG[:80]),
    _whole("eyJhbGciOiJIUzI1NiJ9." + _LONG[:30] + "." + _LONG[30:60]),
    _whole("b3BlbnNzaC1rZXktdjE" + _LONG[:50]),
    Kind(f"https://b.s3.amazonaws.com/k?X-Amz-Signature={_HEX}", (_HEX,)),
    Kind(f"https://b.s3.amazonaws.com/k?X-Amz-Security-Token={_LONG}%2F", (_LONG,)),
    Kind(f"https://hooks.slack.com/services/T0A/B0B/{_LONG[:24]}", (_LONG[:24],)),
    Kind(f"postgres://slurm:{_LONG[:12]}@db.example.com/x", (_LONG[:12],)),
    Kind(f"wandb login {_HEX[:40]}", (_HEX[:40],)),
    Kind(f"Authorization: Bearer {_LONG[:30]}", (_LONG[:30],)),
    _pem(),
)


class Planted:
    """Hands out the kinds in turn, and passwords that only their names give away."""

    def __init__(self, first: int) -> None:
        self._kinds: Iterator[Kind] = itertools.cycle(KINDS[first:] + KINDS[:first])
        self._number = itertools.count(first * 100)
        self.parts: list[str] = []

    def kind(self) -> str:
        """A secret that its form gives away, as a scalar of YAML and JSON."""
        kind = next(self._kinds)
        self.parts += kind.parts
        return json.dumps(kind.text)

    def word(self) -> str:
        """The same, without characters that most fields reject."""
        return json.dumps(next(json.loads(k) for k in iter(self.kind, "") if len(k.split()) == 1))

    def named(self) -> str:
        self.parts.append(f"hunter{next(self._number)}-correct")
        return self.parts[-1]


HEAD: Final = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6}
"""
_OVERLAYS: Final = {
    "parallelcluster": "{{Tags: [{{Key: api_key, Value: {n[0]}}}, {{Key: x, Value: {k[0]}}}]}}",
    "pcs": '{{Resources: {{P: {{Type: "AWS::SSM::Parameter", Properties: {{Type: String, '
    'Value: {k[0]}, Description: "TOKEN={n[0]} and more"}}}}}}}}',
    "batch": '{{Resources: {{J: {{Type: "AWS::Batch::JobDefinition", Properties: '
    "{{Type: container, ContainerProperties: {{Image: x, Environment: "
    "[{{Name: DB_PASSWORD, Value: {n[0]}}}, {{Name: A, Value: {k[0]}}}]}}}}}}}}}}",
    "eks": "{{Resources: {{Cluster: {{Properties: {{Tags: [{{Key: token, Value: {n[0]}}}, "
    "{{Key: x, Value: {k[0]}}}]}}}}}}}}",
}


def spec(target: str, planted: Planted, count: int) -> str:
    """A spec without errors that has secrets wherever `target` takes text."""
    n, k = [planted.named() for _ in range(8)], [planted.kind() for _ in range(4)]
    group = f"{{name: h200, instance_type: p5en.48xlarge, count: {count}, tags: {{x: {k[1]}}}"
    labels = f", labels: {{token: {n[1]}}}" if target in {"pcs", "eks"} else ""
    slurm = f"slurm: {{settings: {{SchedulerParameters: 'password={n[2]}'}}}}\n"
    addons = f"[{{name: vpc-cni, configuration: {{env: {{A_TOKEN: {n[2]}, B: {k[2]}}}}}}}]"
    return (
        f"{HEAD}tags: {{db-password: {n[3]}}}\nnode_groups:\n- {group}{labels}}}\n"
        "software:\n  scripts:\n  - run: s3://example-setup/a.sh\n"
        f"    args: [--hf-token, {n[4]}, DB_PASSWORD={n[5]}, {k[3]}, --api-key={n[6]}]\n"
        f"  - {{run: 'https://example.com/a.sh?X-Amz-Signature={_HEX}'}}\n"
        + (slurm if target in {"parallelcluster", "pcs"} else "")
        + (f"kubernetes: {{addons: {addons}}}\n" if target == "eks" else "")
        + f"# token: {n[7]}\n"
        + f"targets: {{{target}: {{overlay: {_OVERLAYS[target].format(n=n, k=k)}}}}}\n"
    )


def broken_specs(planted: Planted) -> Iterator[str]:
    """Specs with an error at, or around, each secret."""
    p = planted
    for field in ("name", "foundation", "registry", "proxy", "software: {os", "labels: {a"):
        yield f"{HEAD}{field}: {p.kind()}{'}' * field.count('{')}\n"
    yield f"{HEAD}storage: [{{mount: {p.kind()}, type: efs}}]\n"
    yield f"{HEAD}users: [{{name: a, uid: 2001, ssh_key: {p.kind()}}}]\n"
    yield f"{HEAD}slurm: {{accounting: {{endpoint: db, password: {p.named()}}}}}\n"
    yield f"{HEAD}slurm: {{accounting: {{endpoint: db, secret: {p.named()}}}}}\n"
    yield f"{HEAD}software: {{scripts: [{{run: s3://{json.loads(p.word())}, args: {p.kind()}}}]}}"
    yield f"{HEAD}software: {{enviroment: {{HF_TOKEN: {p.named()}, A: {p.kind()}}}}}\n"
    yield f"{HEAD}tags:\n  password: {p.named()}\n  x: [{p.kind()}\n"
    yield f"{HEAD}env:\n- Name: DB_PASSWORD\n  Value: {p.named()}\n args: [\n"
    yield f"{HEAD}args:\n- --token\n- {p.named()}\nrun: train --api-key {p.named()} --x [\n"
    yield f"{HEAD}password: *{p.named()}\n"
    yield f"{HEAD}export AWS_SECRET_ACCESS_KEY={p.named()}\nx: {p.kind()}: y\n"
    yield f'{HEAD}password: "{p.named()}\n  {p.named()}"\nsecret: |\n  {p.named()}\n\tx: [\n'


def configurations(planted: Planted) -> Mapping[str, str]:
    """Configurations of other tools, by the names of their files."""
    p = planted
    return {
        "cluster-config.yaml": _parallelcluster(p),
        "cluster.yaml": _eksctl(p),
        "batch.yaml": _batch(p),
        "create-cluster.json": _hyperpod(p),
        "get-cluster.json": _pcs(p),
        "eks.yaml": _eks(p),
    }


def _parallelcluster(p: Planted) -> str:
    return f"""Region: us-west-2
Image: {{Os: ubuntu2204}}
HeadNode:
  InstanceType: m7i.xlarge
  Networking: {{SubnetId: subnet-0a1b2c3d4e5f67890}}
  CustomActions:
    OnNodeConfigured: {{Script: s3://my-bucket/a.sh, Args: [--hf-token, {p.named()}, {p.kind()}]}}
Tags: [{{Key: api-key, Value: {p.named()}}}, {{Key: x, Value: {p.kind()}}}]
Scheduling:
  Scheduler: slurm
  SlurmSettings: {{Database: {{Uri: db.example.com, UserName: a, Password: {p.named()}}}}}
  SlurmQueues:
  - Name: q
    Networking: {{SubnetIds: [subnet-0a1b2c3d4e5f67890]}}
    ComputeResources: [{{Name: c, InstanceType: p5.48xlarge, MaxCount: 2}}]
DevSettings: {{Cookbook: {{ChefCookbook: {p.kind()}}}}}
"""


def _eksctl(p: Planted) -> str:
    return f"""apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {{name: research, region: us-west-2, version: "1.31", tags: {{token: {p.named()}}}}}
managedNodeGroups:
- name: workers
  instanceType: p5.48xlarge
  desiredCapacity: 2
  labels: {{private-key-password: {p.named()}}}
  preBootstrapCommands: ["export WANDB_API_KEY={p.named()}", {p.kind()}]
unknownKey: {{password: {p.named()}, x: {p.kind()}}}
"""


def _batch(p: Planted) -> str:
    return f"""AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  DbPassword: {{Type: String, Default: {p.named()}}}
  Hidden: {{Type: String, NoEcho: true, Default: {p.named()}}}
Resources:
  CE:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      Tags: {{x: {p.kind()}}}
      ComputeResources: {{Type: EC2, AllocationStrategy: BEST_FIT_PROGRESSIVE, MaxvCpus: 192,
        InstanceTypes: [p5.48xlarge], Subnets: [subnet-0a1b2c3d4e5f67890],
        SecurityGroupIds: [sg-0a1b2c3d4e5f67890], LaunchTemplate: {{LaunchTemplateId: !Ref LT}},
        InstanceRole: "arn:aws:iam::111122223333:instance-profile/nodes"}}
  LT:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        UserData:
          Fn::Base64: !Sub |
            #!/bin/bash
            export AWS_SECRET_ACCESS_KEY={p.named()}
            export DB_PASSWORD=${{DbPassword}}
            echo {json.loads(p.word())} ${{Hidden}}
  Q:
    Type: AWS::Batch::JobQueue
    Properties: {{Priority: 1,
      ComputeEnvironmentOrder: [{{Order: 1, ComputeEnvironment: !Ref CE}}]}}
  JobDefinition:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: container
      ContainerProperties:
        Image: train
        Command: [train, --password, {p.named()}]
        Environment: [{{Name: DB_PASSWORD, Value: {p.named()}}}, {{Name: A, Value: {p.kind()}}}]
"""


def _hyperpod(p: Planted) -> str:
    tags = [{"Key": "password", "Value": p.named()}, {"Key": "x", "Value": json.loads(p.kind())}]
    group = {
        "InstanceGroupName": "workers",
        "InstanceType": "ml.p5.48xlarge",
        "InstanceCount": 1,
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x/x", "OnCreate": "on_create.sh"},
        "ExecutionRole": "arn:aws:iam::111122223333:role/nodes",
    }
    eks = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111122223333:cluster/eks"}}
    request = {"ClusterName": "a", "Orchestrator": eks, "InstanceGroups": [group], "Tags": tags}
    return json.dumps({**request, "Odd": json.loads(p.kind())}, indent=1)


def _pcs(p: Planted) -> str:
    settings = [{"parameterName": "StoragePass", "parameterValue": p.named()}]
    cluster = {
        "name": "research",
        "id": "pcs_abcdefghij",
        "arn": "arn:aws:pcs:us-west-2:111122223333:cluster/pcs_abcdefghij",
        "scheduler": {"type": "SLURM", "version": "25.05"},
        "size": "SMALL",
        "slurmConfiguration": {"slurmCustomSettings": settings},
        "networking": {
            "subnetIds": ["subnet-0a1b2c3d4e5f67890"],
            "securityGroupIds": ["sg-0a1b2c3d"],
        },
        "tags": {"a-token": p.named(), "x": json.loads(p.kind())},
    }
    return json.dumps({"cluster": cluster}, indent=1)


def _eks(p: Planted) -> str:
    script = f"#!/bin/bash\nexport DB_PASSWORD={p.named()}\n"
    data = base64.b64encode(script.encode()).decode()
    p.parts.append(data)
    return f"""Resources:
  Cluster:
    Type: AWS::EKS::Cluster
    Properties:
      Name: research
      Version: "1.33"
      RoleArn: arn:aws:iam::111122223333:role/cluster
      ResourcesVpcConfig: {{SubnetIds: [subnet-0a1b2c3d4e5f67890, subnet-0a1b2c3d4e5f67891]}}
      Tags: [{{Key: token, Value: {p.named()}}}, {{Key: x, Value: {p.kind()}}}]
  AccessEntryArnAwsIam111122223333RoleTeam:
    Type: AWS::EKS::AccessEntry
    Properties: {{ClusterName: !Ref Cluster, PrincipalArn: "arn:aws:iam::111122223333:role/team"}}
  NodeGroupLaunchTemplateP4d24xlargeEfaAmi:
    Type: AWS::EC2::LaunchTemplate
    Properties: {{LaunchTemplateData: {{UserData: {data}}}}}
  Nodes:
    Type: AWS::EKS::Nodegroup
    Properties: {{ClusterName: !Ref Cluster, NodegroupName: nodes, InstanceTypes: [p4d.24xlarge],
      NodeRole: "arn:aws:iam::111122223333:role/nodes", Subnets: [subnet-0a1b2c3d4e5f67890],
      ScalingConfig: {{MinSize: 1, MaxSize: 2, DesiredSize: 1}},
      LaunchTemplate: {{Id: !Ref NodeGroupLaunchTemplateP4d24xlargeEfaAmi, Version: "1"}}}}
"""
