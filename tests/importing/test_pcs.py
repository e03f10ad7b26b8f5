"""PCS clusters as specs: templates, descriptions, and what clustergen renders itself."""

import json
from typing import Any

import pytest
import yaml

from tests.importing.templates import (
    GROUP,
    SUBNET,
    VPC,
    bring,
    by_name,
    codes,
    document,
    lossless,
    spec_of,
)
from tests.support.tables import flow

MIME = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=A\n"
TEMPLATE = f"""\
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  Version: {{Type: String, Default: 25.11}}
  Key: {{Type: String}}
  Architecture: {{Type: String, Default: Graviton}}
  Accounting: {{Type: String, Default: 'off'}}
Conditions:
  Accounts: !Equals [!Ref Accounting, 'on']
  Unaccounted: !Not [!Condition Accounts]
Mappings:
  Types: {{Login: {{Graviton: c7g.xlarge}}}}
Resources:
  Network:
    Type: AWS::CloudFormation::Stack
    Properties: {{TemplateURL: !Sub 'https://s3.amazonaws.com/${{AWS::Region}}/network.yaml'}}
  Placement: {{Type: AWS::EC2::PlacementGroup, Properties: {{Strategy: cluster}}}}
  Cluster:
    Type: AWS::PCS::Cluster
    Properties:
      Name: !Sub '${{AWS::StackName}}'
      Size: SMALL
      Scheduler: {{Type: SLURM, Version: !Ref Version}}
      Networking: {{SubnetIds: [!GetAtt Network.Outputs.Private],
        SecurityGroupIds: [{GROUP.format(1)}]}}
      SlurmConfiguration: !If
        - Accounts
        - Accounting: {{Mode: STANDARD}}
        - SlurmCustomSettings: [{{ParameterName: Prolog, ParameterValue: /opt/prolog.sh}}]
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateName: !Join ['-', [!Ref 'AWS::StackName', nodes]]
      LaunchTemplateData:
        KeyName: !Ref Key
        Placement: {{GroupName: !Ref Placement}}
        NetworkInterfaces:
          - {{DeviceIndex: 0, InterfaceType: efa, SubnetId: !GetAtt Network.Outputs.Private,
             Groups: [{GROUP.format(1)}]}}
        UserData:
          Fn::Base64: !Sub |
            MIME-Version: 1.0
            Content-Type: multipart/mixed; boundary=A

            echo ${{AWS::Region}} ${{!HOME}}
  Front:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: !GetAtt Cluster.Id
      Name: login
      AmiId: ami-0a1b2c3d4e5f67890
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/nodes
      SubnetIds: [!GetAtt Network.Outputs.Public]
      InstanceConfigs: [{{InstanceType: !FindInMap [Types, Login, !Ref Architecture]}}]
      ScalingConfiguration: {{MinInstanceCount: 1, MaxInstanceCount: 1}}
      CustomLaunchTemplate: {{TemplateId: !Ref Template, Version: 1}}
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: !GetAtt Cluster.Id
      Name: hpc
      AmiId: ami-0a1b2c3d4e5f67890
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/nodes
      SubnetIds: [!GetAtt Network.Outputs.Private]
      InstanceConfigs: [{{InstanceType: hpc7g.16xlarge}}]
      ScalingConfiguration: {{MinInstanceCount: 0, MaxInstanceCount: 4}}
      CustomLaunchTemplate: {{TemplateId: !Ref Template, Version: 1}}
  Queue:
    Type: AWS::PCS::Queue
    Condition: Unaccounted
    Properties:
      ClusterId: !GetAtt Cluster.Id
      Name: all
      ComputeNodeGroupConfigurations: [{{ComputeNodeGroupId: !GetAtt Nodes.Id}}]
"""
NETWORK = f"""\
Resources: {{Vpc: {{Type: AWS::EC2::VPC, Properties: {{CidrBlock: 10.0.0.0/16}}}}}}
Outputs:
  Private: {{Value: {SUBNET.format(1)}}}
  Public: {{Value: {SUBNET.format(2)}}}
"""
FILES = (("cluster.yaml", TEMPLATE), ("network.yaml", NETWORK))
NODE_GROUP = "AWS::PCS::ComputeNodeGroup"


def whole(**answers: Any) -> Any:
    return bring(*FILES, parameters={"Key": "team"}, **answers)


def test_the_rendered_template_has_the_settings_of_the_original() -> None:
    result = lossless(whole())
    assert whole().text == result.text
    assert "IMP002" not in codes(result)
    template = document(result, "pcs")
    (cluster,) = by_name(template, "AWS::PCS::Cluster", "Name").values()
    assert cluster["Name"] == "imported"
    assert cluster["Networking"]["SubnetIds"] == [SUBNET.format(1)]
    groups = by_name(template, NODE_GROUP, "Name")
    assert groups["hpc"]["SubnetIds"] == [SUBNET.format(1)]
    assert groups["login"]["InstanceConfigs"] == [{"InstanceType": "c7g.xlarge"}]
    launch = template["Resources"]["LaunchTemplateHpc"]["Properties"]["LaunchTemplateData"]
    assert launch["KeyName"] == "team"
    assert launch["UserData"] == {"Fn::Base64": f"{MIME}\necho us-west-2 ${{HOME}}\n"}
    group = launch["Placement"]["GroupName"]["Ref"]
    assert template["Resources"][group]["Properties"] == {"Strategy": "cluster"}
    login = template["Resources"]["LaunchTemplateLogin"]["Properties"]["LaunchTemplateData"]
    assert login["Placement"] == launch["Placement"], "both are in one placement group"
    assert template["Resources"]["QueueAll"]["Properties"]["ComputeNodeGroupConfigurations"] == [
        {"ComputeNodeGroupId": {"Fn::GetAtt": ["NodeGroupHpc", "Id"]}}
    ]


def test_what_the_language_has_words_for_is_in_words() -> None:
    spec = spec_of(whole())
    assert spec.slurm.version == "25.11"
    assert spec.slurm.settings == {"Prolog": "/opt/prolog.sh"}
    assert spec.login.instance_type == "c7g.xlarge"
    (group,) = spec.node_groups
    assert (group.name, group.instance_type, group.efa) == ("hpc", "hpc7g.16xlarge", True)
    assert (group.count.min, group.count.max, group.placement) == (0, 4, "cluster")
    assert spec.targets.pcs.size == "small"


def test_what_a_stack_keeps_it_keeps_in_ours() -> None:
    kept = TEMPLATE.replace(
        "Type: AWS::PCS::Cluster", "Type: AWS::PCS::Cluster\n    DeletionPolicy: Retain"
    ).replace(
        "Type: AWS::PCS::Queue",
        "Type: AWS::PCS::Queue\n    DeletionPolicy: Delete\n    UpdateReplacePolicy: Retain",
    )
    kept += "Outputs: {Id: {Value: !Ref Cluster, Export: {Name: ours}}}\n"
    result = lossless(bring(("cluster.yaml", kept), FILES[1]))
    resources = document(result, "pcs")["Resources"]
    assert resources["Cluster"]["DeletionPolicy"] == "Retain"
    assert resources["QueueAll"]["UpdateReplacePolicy"] == "Retain"
    assert "DeletionPolicy" not in resources["QueueAll"]
    (export, policy) = (
        finding
        for finding in result.findings
        if "Cluster.DeletionPolicy" in finding.message or "Outputs.Id" in finding.message
    )
    assert policy.span
    assert export.span
    assert policy.span.text.strip() == "DeletionPolicy: Retain"
    assert export.code == "IMP003"


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("'{{resolve:ssm:/x/name}}'", {"ssm:/x/name"}),
        ("!Sub '{{resolve:ssm:/x/${Env}}}'", {"Env"}),
        ("'{{resolve:ssm:/x}}-nodes'", set()),
    ],
)
def test_a_name_that_systems_manager_knows_is_a_question(name: str, asked: set[str]) -> None:
    template = TEMPLATE.replace("Name: !Sub '${AWS::StackName}'", f"Name: {name}")
    result = bring(("cluster.yaml", template), FILES[1], parameters={"Key": "team"})
    questions = [each.message for each in result.findings if each.code == "IMP002"]
    assert set(questions) == {f"no file says what {each} is" for each in asked}


@pytest.mark.parametrize("image", ["'{{resolve:ssm:/x/ami}}'", "!Sub '{{resolve:ssm:/${X}/ami}}'"])
def test_the_user_says_what_systems_manager_knows(image: str) -> None:
    template = TEMPLATE.replace("!Sub '${AWS::StackName}'", "'{{resolve:ssm:/x/name}}'")
    template = template.replace("ami-0a1b2c3d4e5f67890", image)
    given = {"ssm:/x/name": "ours", "ssm:/x/ami": "ami-0123456789abcdef0", "X": "x", "Key": "team"}
    known = lossless(bring(("cluster.yaml", template), FILES[1], parameters=given))
    assert spec_of(known).name == "ours"
    assert "IMP002" not in {each.code for each in known.findings}
    assert "{{resolve" not in known.text


@pytest.mark.parametrize("policy", ["{Ref: Policy}", "[Retain]", "!If [No, Retain, Delete]"])
def test_a_policy_that_is_not_known_is_none(policy: str) -> None:
    template = TEMPLATE.replace(
        "Type: AWS::PCS::Cluster", f"Type: AWS::PCS::Cluster\n    DeletionPolicy: {policy}"
    )
    resources = document(lossless(bring(("cluster.yaml", template), FILES[1])), "pcs")["Resources"]
    assert "DeletionPolicy" not in resources["Cluster"]


def test_a_value_in_no_file_is_a_question() -> None:
    result = lossless(bring(FILES[0]))
    asked = [finding for finding in result.findings if finding.code == "IMP002"]
    assert {finding.message for finding in asked} == {
        f"no file says what {name} is"
        for name in ("Key", "Network.Outputs.Private", "Network.Outputs.Public")
    }
    (key,) = [finding for finding in asked if "Key" in finding.message]
    assert key.span is not None
    assert "KeyName: !Ref Key" in key.span.text
    assert key.help == "add the template that has it, or --parameter Key=VALUE"
    answered = bring(FILES[0], parameters={"Network.Outputs.Private": SUBNET.format(5)})
    assert SUBNET.format(5) in answered.text


def test_what_only_systems_manager_knows_is_a_question() -> None:
    """The default of such a parameter is a path, and no id of an image."""
    image = (
        "Key: {Type: AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>, Default: /aws/service/pcs}"
    )
    text = TEMPLATE.replace("Key: {Type: String}", image)
    result = lossless(bring(("cluster.yaml", text)))
    assert "/aws/service/pcs" not in result.text
    assert any("--parameter Key=VALUE" in each.help for each in result.findings)


def test_a_parameter_file_answers_too() -> None:
    values = [
        {"ParameterKey": "Key", "ParameterValue": "team"},
        {"ParameterKey": "Accounting", "ParameterValue": "on"},
    ]
    result = lossless(bring(*FILES, ("parameters.json", json.dumps(values))))
    spec = spec_of(result)
    assert spec.slurm.accounting == "managed"
    assert spec.targets.pcs.key_name == "team"


def test_templates_that_import_each_others_values() -> None:
    cluster = TEMPLATE.replace("TemplateId: !Ref Template", "TemplateId: !ImportValue lt-Id")
    launch = yaml.safe_dump(
        flow("""
            Resources:
              Shared:
                Type: AWS::EC2::LaunchTemplate
                Properties: {LaunchTemplateData: {KeyName: shared}}
            Outputs: {Id: {Value: {Ref: Shared}, Export: {Name: {Fn::Sub: '${AWS::StackName}-Id'}}}}
        """)
    )
    result = lossless(bring(("cluster.yaml", cluster), ("launch.yaml", launch), FILES[1]))
    resources = document(result, "pcs")["Resources"]
    data = resources["LaunchTemplateHpc"]["Properties"]["LaunchTemplateData"]
    assert data == {"KeyName": "shared"}


def _nodes(name: str, type: str) -> str:
    """A template of a node group for a cluster that is a parameter."""
    return f"""\
Parameters:
  ClusterId: {{Type: String}}
  SubnetIds: {{Type: 'List<AWS::EC2::Subnet::Id>'}}
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties: {{LaunchTemplateData: {{KeyName: {name}}}}}
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: !Ref ClusterId
      Name: {name}
      AmiId: ami-0a1b2c3d4e5f67890
      IamInstanceProfileArn: !Sub arn:aws:iam::${{AWS::AccountId}}:instance-profile/nodes
      SubnetIds: !Ref SubnetIds
      InstanceConfigs: [{{InstanceType: {type}}}]
      ScalingConfiguration: {{MinInstanceCount: 0, MaxInstanceCount: 2}}
      CustomLaunchTemplate: {{TemplateId: !Ref Template, Version: 1}}
"""


BARE = f"""\
Description: AWS PCS cluster core, without nodes
Parameters: {{Group: {{Type: String, Default: {GROUP.format(1)}}}}}
Resources:
  Cluster:
    Type: AWS::PCS::Cluster
    Properties:
      Name: research
      Size: SMALL
      Scheduler: {{Type: SLURM, Version: '25.11'}}
      Networking: {{SubnetIds: [{SUBNET.format(1)}], SecurityGroupIds: [!Ref Group]}}
"""


def test_templates_with_resources_of_the_same_id_are_both_imported() -> None:
    files = (("cpu.yaml", _nodes("cpu", "c7i.4xlarge")), ("gpu.yaml", _nodes("gpu", "g6.12xlarge")))
    result = lossless(bring(("cluster.yaml", BARE), *files))
    groups = by_name(document(result, "pcs"), NODE_GROUP, "Name")
    assert {"cpu", "gpu"} <= set(groups)
    keys = {
        each["Properties"]["LaunchTemplateData"].get("KeyName")
        for each in document(result, "pcs")["Resources"].values()
        if each["Type"] == "AWS::EC2::LaunchTemplate"
    }
    assert {"cpu", "gpu"} <= keys
    assert "gpu.SubnetIds" in str(result.findings)


def test_a_list_that_no_file_says_has_a_stand_in_that_is_a_list() -> None:
    result = lossless(bring(("cluster.yaml", BARE), ("cpu.yaml", _nodes("cpu", "c7i.4xlarge"))))
    group = by_name(document(result, "pcs"), NODE_GROUP, "Name")["cpu"]
    assert group["SubnetIds"] == ["subnet-00000000000000001"]
    assert group["IamInstanceProfileArn"] == "arn:aws:iam::000000000000:instance-profile/nodes"


def test_node_groups_without_a_cluster_join_one_that_exists() -> None:
    result = lossless(
        bring(("cpu.yaml", _nodes("cpu", "c7i.4xlarge")), parameters={"ClusterId": "pcs_1"})
    )
    assert spec_of(result).targets.pcs.cluster == "pcs_1"
    assert result.text.splitlines()[1:3] == ["version: 1", "name: imported"]
    template = document(result, "pcs")
    assert "AWS::PCS::Cluster" not in {each["Type"] for each in template["Resources"].values()}
    assert by_name(template, NODE_GROUP, "Name")["cpu"]["ClusterId"] == "pcs_1"


def test_the_id_and_names_that_no_file_says_are_questions() -> None:
    nodes = _nodes("cpu", "c7i.4xlarge").replace("Name: cpu", "Name: !Ref GroupName")
    result = lossless(bring(("cpu.yaml", nodes)))
    asked = {each.message for each in result.findings if each.code == "IMP002"}
    assert "no file has the id of the cluster" in asked
    assert "no file says what GroupName is" in asked
    assert set(by_name(document(result, "pcs"), NODE_GROUP, "Name")) == {"FILL-IN-GroupName"}


def test_a_cluster_without_node_groups_asks_for_them() -> None:
    result = lossless(bring(("cluster.yaml", BARE)))
    assert [each.help for each in result.findings if each.code == "IMP002"] == [
        "write the nodes that your jobs need; none starts as long as no job waits"
    ]
    networking = by_name(document(result, "pcs"), "AWS::PCS::Cluster", "Name")["research"]
    assert networking["Networking"]["SecurityGroupIds"] == [GROUP.format(1)]


def test_settings_of_slurm_without_a_value_are_left_out() -> None:
    result = bring(TEMPLATE.replace("/opt/prolog.sh", "!ImportValue Prolog"), FILES[1])
    assert any("Prolog is Prolog, which no file says" in f.message for f in result.findings)
    assert result.lossless


def test_a_group_of_another_name_stays_a_node_group() -> None:
    result = bring(TEMPLATE.replace("Name: login", "Name: login-nodes"), FILES[1])
    assert result.lossless
    assert [each.code for each in result.errors] == ["NIC001"]  # its launch template has EFA
    assert "IMP001" in codes(result)
    assert set(by_name(document(result, "pcs"), NODE_GROUP, "Name")) == {"hpc", "login-nodes"}


def test_groups_of_one_queue_get_their_name_as_a_feature() -> None:
    """Jobs select them by it."""
    more = TEMPLATE[TEMPLATE.index("  Nodes:\n") : TEMPLATE.index("  Queue:\n")]
    more = more.replace("Nodes:", "More:").replace("Name: hpc", "Name: more")
    nodes = "[{ComputeNodeGroupId: !GetAtt Nodes.Id}]"
    text = TEMPLATE.replace("  Queue:\n", f"{more}  Queue:\n").replace(
        nodes, f"{nodes[:-1]}, {{ComputeNodeGroupId: !GetAtt More.Id}}]"
    )
    result = lossless(bring(("cluster.yaml", text), *FILES[1:], parameters={"Key": "team"}))
    groups = by_name(document(result, "pcs"), NODE_GROUP, "Name")
    for name in ("hpc", "more"):
        [setting] = groups[name]["SlurmConfiguration"]["SlurmCustomSettings"]
        assert setting == {"ParameterName": "Features", "ParameterValue": name}
    assert "SlurmConfiguration" not in groups["login"]
    assert codes(result).count("IMP001") == codes(lossless(whole())).count("IMP001") + 2


def test_a_setting_with_another_value_is_another_spec() -> None:
    """The comparison sees every property: none of these may render as before."""
    before = whole().text
    for one, other in [
        ("MaxInstanceCount: 4", "MaxInstanceCount: 5"),
        ("Size: SMALL", "Size: MEDIUM"),
        ("InterfaceType: efa", "InterfaceType: interface"),
        ("instance-profile/nodes", "instance-profile/others"),
        ("echo", "printf"),
        ("Strategy: cluster", "Strategy: spread"),
    ]:
        changed = bring(("cluster.yaml", TEMPLATE.replace(one, other)), FILES[1])
        assert changed.text != before


@pytest.mark.parametrize(
    "files",
    [
        [{"Resources": {"Q": {"Type": "AWS::PCS::Queue", "Properties": {"Name": "q"}}}}],
        [{"Resources": {"T": {"Type": "AWS::EC2::LaunchTemplate", "Properties": {}}}}],
        [{"LaunchTemplateVersions": []}],
        [{"queue": {"name": "q", "computeNodeGroupConfigurations": []}}],
    ],
)
def test_a_part_of_a_cluster_is_an_error_that_says_what_is_missing(files: list[Any]) -> None:
    result = bring(*files)
    assert codes(result)[-1:] == ["IMP022"]
    assert result.text == ""
    assert "FILE FILE" in result.findings[-1].help


CLUSTER: dict[str, Any] = flow("""
{name: production, id: pcs_1, arn: arn:aws:pcs:eu-west-1:111122223333:cluster/pcs_1, status: ACTIVE,
  scheduler: {type: SLURM, version: '25.05'}, size: MEDIUM,
  slurmConfiguration: {scaleDownIdleTimeInSeconds: 300,
  authKey: {secretArn: arn:aws:secretsmanager:eu-west-1:1:secret:k, secretVersion: 1}},
  networking: {subnetIds: [subnet-0a1b2c3d4e5f67891], securityGroupIds: [sg-0a1b2c3d4e5f67891]}}
""")
GROUPS: list[Any] = flow("""
[{name: gpu, id: pcs_2, clusterId: pcs_1, status: ACTIVE, amiId: ami-0a1b2c3d4e5f67890,
  subnetIds: [subnet-0a1b2c3d4e5f67891], purchaseOption: CAPACITY_BLOCK,
  customLaunchTemplate: {id: lt-1, version: '2'},
  iamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/nodes,
  scalingConfiguration: {minInstanceCount: 0, maxInstanceCount: 2},
  instanceConfigs: [{instanceType: p5.48xlarge}]}]
""")
QUEUES = [{"name": "all", "computeNodeGroupConfigurations": [{"computeNodeGroupId": "pcs_2"}]}]
VERSION = """
{LaunchTemplateId: lt-1, LaunchTemplateName: gpu, VersionNumber: $NUMBER, LaunchTemplateData: {
  SecurityGroupIds: [$GROUP], UserData: "TUlNRS1WZXJzaW9uOiAxLjAKQ29udGVudC1UeXBlOiBt\\
    dWx0aXBhcnQvbWl4ZWQ7IGJvdW5kYXJ5PUEK",
  CapacityReservationSpecification: {
    CapacityReservationTarget: {CapacityReservationId: cr-0a1b2c3d4e5f67890}},
  InstanceMarketOptions: {MarketType: capacity-block}}}
"""
VERSIONS = {
    "LaunchTemplateVersions": [
        flow(VERSION, NUMBER=str(number), GROUP=GROUP.format(number)) for number in (1, 2)
    ]
}


def test_descriptions_of_the_service() -> None:
    groups = [{"computeNodeGroup": each} for each in GROUPS]
    files = [{"cluster": CLUSTER}, *groups, *({"queue": each} for each in QUEUES), VERSIONS]
    result = lossless(bring(*files, region=""))
    spec = spec_of(result)
    assert (spec.name, spec.region, spec.network.vpc) == ("production", "eu-west-1", VPC)
    assert spec.node_groups[0].capacity.capacity_block == "cr-0a1b2c3d4e5f67890"
    assert spec.queues[0].node_groups == ["gpu"]
    resources = document(result, "pcs")["Resources"]
    data = resources["LaunchTemplateGpu"]["Properties"]["LaunchTemplateData"]
    assert data["SecurityGroupIds"] == [GROUP.format(2)]
    assert data["UserData"] == {"Fn::Base64": MIME}
    assert "secretsmanager" not in result.text
