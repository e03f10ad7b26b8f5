"""What the files of a HyperPod bundle owe one another."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.validators.cloudformation.intrinsics import outputs, resolve
from tests.validators.cloudformation.requests import requests_of
from tests.validators.hyperpod.rules import request_violations, update_violations, validate_update
from tests.validators.iam import Role, roles
from tests.validators.partitions import partition_of
from tests.validators.placeholders import ACCOUNT_ID, fill, names_in

REQUEST, FOUNDATION, TEMPLATE, EKS = (
    "create-cluster.json",
    "foundation.template.json",
    "cluster.template.json",
    "eks.template.json",
)
UPDATE = "update-cluster.json"
SCRIPTS = "lifecycle/"


def cluster_violations(files: Mapping[str, str], region: str) -> list[str]:
    """Violations of a bundle with a request to HyperPod; none of a bundle without."""
    if REQUEST in files:
        return list(_violations(files, region))
    return list(_of_joining(files, region)) if UPDATE in files else []


def _of_joining(files: Mapping[str, str], region: str) -> Iterator[str]:
    """Groups for an existing cluster: nothing else is sent, and a cluster with them is right."""
    foundation: Any = json.loads(files.get(FOUNDATION, "{}"))
    given = outputs(foundation, region=region)
    if unknown := sorted(set(names_in(files[UPDATE])) - set(given)):
        yield f"{UPDATE}: no outputs {', '.join(unknown)}"
        return
    update = json.loads(fill(files[UPDATE], given, region))
    if others := sorted(set(update) - {"ClusterName", "InstanceGroups"}):
        yield f"{UPDATE}: sends {', '.join(others)} of the cluster"
    if without := [g["InstanceGroupName"] for g in _alone(update)]:
        yield f"{UPDATE}: no OverrideVpcConfig in {', '.join(without)}"
        return
    whole = _with_others(update)
    yield from (f"{UPDATE}: {violation}" for violation in validate_update(update))
    yield from (f"{UPDATE}: {violation}" for violation in request_violations(whole))
    yield from _of_scripts(files, {**whole, "InstanceGroups": update["InstanceGroups"]})
    yield from _of_roles(files[UPDATE], update, foundation, region)


def _alone(update: Mapping[str, Any]) -> list[Any]:
    return [group for group in update["InstanceGroups"] if "OverrideVpcConfig" not in group]


def _with_others(update: Mapping[str, Any]) -> dict[str, Any]:
    """A cluster that the groups can join, with them."""
    groups = update["InstanceGroups"]
    network = groups[0]["OverrideVpcConfig"]
    arn = f"arn:aws:eks:us-east-1:{ACCOUNT_ID}:cluster/training"
    orchestrator: dict[str, Any] = {"Eks": {"ClusterArn": arn}}
    others = []
    if any("SlurmConfig" in group for group in groups):
        orchestrator = {"Slurm": {}}
        head = {
            "InstanceGroupName": "theirs",
            "InstanceType": "ml.m5.2xlarge",
            "InstanceCount": 1,
            "ExecutionRole": f"arn:aws:iam::{ACCOUNT_ID}:role/theirs",
            "SlurmConfig": {"NodeType": "Controller"},
        }
        others.append(head)
    return {
        **update,
        "InstanceGroups": [*others, *groups],
        "VpcConfig": network,
        "Orchestrator": orchestrator,
        "NodeProvisioningMode": "Continuous",
    }


def _violations(files: Mapping[str, str], region: str) -> Iterator[str]:
    foundation: Any = json.loads(files.get(FOUNDATION, "{}"))
    of_eks = json.loads(files[EKS]) if EKS in files else {}
    try:
        given = {**outputs(foundation, region=region), **outputs(of_eks, region=region)}
        resolve(of_eks, region=region)
    except LookupError as error:
        yield f"{FOUNDATION}, {EKS}: {error}"
        return
    names = set(names_in(files[REQUEST]))
    for unknown in sorted(names - set(given)):
        yield f"{REQUEST}: no output {unknown} of a stack before it"
    if names - set(given):
        return
    request = json.loads(fill(files[REQUEST], given, region))
    yield from (f"{REQUEST}: {violation}" for violation in request_violations(request))
    if UPDATE in files:
        update = json.loads(fill(files[UPDATE], given, region))
        yield from (f"{UPDATE}: {violation}" for violation in update_violations(update, request))
    if TEMPLATE in files:
        yield from _of_template(json.loads(files[TEMPLATE]), request, given, region)
    yield from _of_scripts(files, request)
    yield from _of_roles(files[REQUEST], request, foundation, region)
    yield from _of_security_groups(request, foundation, of_eks, given, region)
    if of_eks:
        yield from _of_eks(of_eks, request, region)


# The two writings ------------------------------------------------------------------------------


def _of_template(
    template: Mapping[str, Any], request: Any, given: Mapping[str, str], region: str
) -> Iterator[str]:
    """The template makes the same request, but for what CloudFormation has no words for."""
    clusters = [
        made.params
        for resource in resolve(template, given, region)
        if resource.type == "AWS::SageMaker::Cluster"
        for made in requests_of(resource)
    ]
    if len(clusters) != 1:
        yield f"{TEMPLATE}: {len(clusters)} clusters"
    for cluster in clusters:
        yield from _differences(_said_by_both(request), _said_by_both(cluster), TEMPLATE)


def _said_by_both(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request without what cfn-lint's schema of AWS::SageMaker::Cluster (2026-10-20) lacks."""
    groups = [_group(group) for group in request.get("InstanceGroups", [])]
    return {**request, "InstanceGroups": groups} if groups else dict(request)


def _group(group: Mapping[str, Any]) -> dict[str, Any]:
    members = dict(group)
    if patching := members.pop("AutoPatchConfig", None):
        members |= _patching(patching)
    if checks := group.get("OnStartDeepHealthChecks"):
        rest = [check for check in checks if check != "MultiNodeTrainingValidation"]
        members.pop("OnStartDeepHealthChecks")
        members |= {"OnStartDeepHealthChecks": rest} if rest else {}
    return members


def _patching(patching: Mapping[str, Any]) -> dict[str, Any]:
    """CloudFormation neither drains first nor says how long it waits for idle nodes."""
    lacking = ("IdleWaitWindowInSeconds", "DrainPolicy", "PatchSchedule")
    rest = {key: value for key, value in patching.items() if key not in lacking}
    return {} if patching["PatchingStrategy"] == "DrainFirst" else {"AutoPatchConfig": rest}


def _differences(left: Any, right: Any, path: str) -> Iterator[str]:
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for key in sorted({*left, *right}):
            if key not in left or key not in right:
                where = REQUEST if key in left else TEMPLATE
                yield f"{path}.{key}: only in {where}"
            else:
                yield from _differences(left[key], right[key], f"{path}.{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _differences(one, other, f"{path}[{index}]")
    elif left != right:
        yield f"{path}: {right!r}, the request has {left!r}"


# The scripts -----------------------------------------------------------------------------------


def _of_scripts(files: Mapping[str, str], request: Any) -> Iterator[str]:
    """The scripts that groups name are in the bundle, and the node can run them."""
    scripts = {path: text for path, text in files.items() if path.startswith(SCRIPTS)}
    api_driven = "Slurm" in request.get("Orchestrator", {})
    if api_driven and f"{SCRIPTS}provisioning_parameters.json" in scripts:
        yield f"{SCRIPTS}: SlurmConfig and provisioning_parameters.json are exclusive [ref]"
    if "Orchestrator" not in request:
        yield from _of_parameters(scripts, request)
    for group in request.get("InstanceGroups", []):
        config = group.get("LifeCycleConfig", {})
        for key in ("OnCreate", "OnInitComplete"):
            # Scripts in a folder of the user's are not in the bundle.
            own = not scripts and "${ScriptsBucketName}" not in config.get("SourceS3Uri", "")
            if key in config and not own and f"{SCRIPTS}{config[key]}" not in scripts:
                yield f"{group['InstanceGroupName']}: no {SCRIPTS}{config[key]} in the bundle"
    for path, text in scripts.items():
        if "\r" in text or text.startswith("\ufeff"):
            yield f"{path}: carriage returns or a byte order mark, which bash stumbles over"
        if path.endswith(".sh") and not text.startswith("#!/bin/bash\n"):
            yield f"{path}: the first line is not #!/bin/bash"


_OF_SEVERAL = ("slurm_database_secret_arn", "slurm_database_endpoint", "slurm_shared_directory")


def _of_parameters(scripts: Mapping[str, str], request: Any) -> Iterator[str]:
    """[ref] The old form's file: groups by the names of the request, each worker once."""
    path = f"{SCRIPTS}provisioning_parameters.json"
    if path not in scripts:
        yield f"{path}: missing, and the request has no Orchestrator"
        return
    held = json.loads(scripts[path])
    for key in ("version", "workload_manager", "controller_group", "worker_groups"):
        if key not in held:
            yield f"{path}: no {key}"
    workers = [worker["instance_group_name"] for worker in held.get("worker_groups", [])]
    others = [held[key] for key in ("controller_group", "login_group") if key in held]
    groups = sorted(group["InstanceGroupName"] for group in request["InstanceGroups"])
    if sorted([*workers, *others]) != groups:
        yield f"{path}: {sorted([*workers, *others])}, the request has {groups}"
    if ("fsx_dns_name" in held) != ("fsx_mountname" in held):
        yield f"{path}: fsx_dns_name and fsx_mountname go together"
    controllers = sum(
        group["InstanceCount"]
        for group in request["InstanceGroups"]
        if group["InstanceGroupName"] == held.get("controller_group")
    )
    members = held.get("slurm_configurations", {})
    for key in _OF_SEVERAL if controllers > 1 else ():
        if not members.get(key):
            yield f"{path}: {controllers} controllers, and no slurm_configurations.{key}"
    # A script that AWS publishes reads the file with sed, a line for each value.
    if scripts[path].count("\n") < len(held):
        yield f"{path}: not a line for each value"


# The roles -------------------------------------------------------------------------------------

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html
# (2026-11-20): what a node's role needs beside AmazonSageMakerClusterInstanceRolePolicy in a VPC
# of the owner's, and on EKS.
_ALWAYS = (("cloudwatch:PutMetricData", "*"), ("ssmmessages:OpenDataChannel", "*"))
_INTERFACE = "arn:{partition}:ec2:{region}:{account}:network-interface/eni-0a1b2c3d"
_IN_VPC = (
    ("ec2:CreateNetworkInterface", _INTERFACE),
    ("ec2:CreateNetworkInterface", "arn:{partition}:ec2:{region}:{account}:subnet/subnet-0a1b"),
    ("ec2:CreateNetworkInterface", "arn:{partition}:ec2:{region}:{account}:security-group/sg-0a"),
    ("ec2:CreateNetworkInterfacePermission", _INTERFACE),
    ("ec2:CreateTags", _INTERFACE),
    ("ec2:DeleteNetworkInterface", _INTERFACE),
    ("ec2:DeleteNetworkInterfacePermission", _INTERFACE),
    ("ec2:DetachNetworkInterface", _INTERFACE),
    ("ec2:DescribeDhcpOptions", "*"),
    ("ec2:DescribeNetworkInterfaces", "*"),
    ("ec2:DescribeSecurityGroups", "*"),
    ("ec2:DescribeSubnets", "*"),
    ("ec2:DescribeVpcs", "*"),
)
_IMAGE = "arn:{partition}:ecr:{region}:602401143452:repository/eks/kube-proxy"
_ON_EKS = (
    ("ec2:AssignPrivateIpAddresses", _INTERFACE),
    ("ec2:AttachNetworkInterface", _INTERFACE),
    ("ec2:ModifyNetworkInterfaceAttribute", _INTERFACE),
    ("ec2:UnassignPrivateIpAddresses", _INTERFACE),
    ("ec2:DescribeInstances", "*"),
    ("ec2:DescribeInstanceTypes", "*"),
    ("ec2:DescribeTags", "*"),
    ("ecr:BatchCheckLayerAvailability", _IMAGE),
    ("ecr:BatchGetImage", _IMAGE),
    ("ecr:GetDownloadUrlForLayer", _IMAGE),
    ("ecr:GetAuthorizationToken", "*"),
    ("eks-auth:AssumeRoleForPodIdentity", "arn:{partition}:eks:{region}:{account}:cluster/train"),
    ("cloudwatch:DescribeAlarms", "arn:{partition}:cloudwatch:{region}:{account}:alarm:failing"),
)
_LOGS = "arn:{partition}:logs:{region}:{account}:log-group:/aws/sagemaker/Clusters/train/0a1b2c3d"
_LOGGED = (
    ("logs:CreateLogGroup", _LOGS),
    ("logs:CreateLogStream", f"{_LOGS}:log-stream:LifecycleConfig/gpu/i-0a1b2c3d"),
    ("logs:PutLogEvents", f"{_LOGS}:log-stream:LifecycleConfig/gpu/i-0a1b2c3d"),
)
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-iam.html
_CLUSTER = "arn:{partition}:sagemaker:{region}:{account}:cluster/0a1b2c3d4e5f"
_KARPENTER = (
    ("sagemaker:BatchAddClusterNodes", _CLUSTER),
    ("sagemaker:BatchDeleteClusterNodes", _CLUSTER),
)


def _of_roles(written: str, request: Any, foundation: Any, region: str) -> Iterator[str]:
    """The roles that the request names by a foundation output, and what they have to allow."""
    held = roles(foundation, region)
    document = json.loads(written)
    named = {str(group.get("ExecutionRole")) for group in document.get("InstanceGroups", [])}
    for name in sorted(named):
        if role := _behind(name, foundation, held):
            yield from _trusted(role, "sagemaker.amazonaws.com")
            yield from _allowed(role, _needed(request), region)
    if (name := document.get("ClusterRole")) and (role := _behind(name, foundation, held)):
        yield from _trusted(role, "hyperpod.sagemaker.amazonaws.com")
        yield from _allowed(role, _KARPENTER, region)


def _behind(name: str, foundation: Any, held: Mapping[str, Role]) -> Role | None:
    """The role whose ARN is the output that `${name}` stands for."""
    found = re.fullmatch(r"\$\{(\w+)\}", name)
    value = foundation.get("Outputs", {}).get(found[1], {}).get("Value") if found else None
    target = value.get("Fn::GetAtt") if isinstance(value, Mapping) else None
    logical_id = target.partition(".")[0] if isinstance(target, str) else (target or [""])[0]
    return held.get(logical_id)


def _needed(request: Any) -> Iterator[tuple[str, str]]:
    """The actions of a node, each with what it is done to."""
    yield from (*_ALWAYS, *_LOGGED)
    yield from _IN_VPC if "VpcConfig" in request else ()
    yield from _ON_EKS if "Eks" in request.get("Orchestrator", {}) else ()
    for group in request["InstanceGroups"]:
        if source := group.get("LifeCycleConfig", {}).get("SourceS3Uri"):
            bucket, _, key = source.removeprefix("s3://").partition("/")
            yield "s3:ListBucket", f"arn:{{partition}}:s3:::{bucket}"
            yield "s3:GetObject", f"arn:{{partition}}:s3:::{bucket}/{key}/on_create.sh"


def _trusted(role: Role, service: str) -> Iterator[str]:
    if service not in role.principals:
        yield f"{FOUNDATION}: {role.logical_id}: trusts {list(role.principals)}, not {service}"


def _allowed(role: Role, needed: Iterable[tuple[str, str]], region: str) -> Iterator[str]:
    place = {"partition": partition_of(region), "region": region, "account": ACCOUNT_ID}
    for action, resource in needed:
        if not role.allows(action, resource.format_map(place)):
            yield f"{FOUNDATION}: {role.logical_id}: may not {action} on {resource}"


# The security groups ---------------------------------------------------------------------------


def _of_security_groups(
    request: Any, foundation: Any, of_eks: Any, given: Mapping[str, str], region: str
) -> Iterator[str]:
    """[pre] EFA passes only where each group of ours allows all to and from itself."""
    resources = [*resolve(foundation, region=region), *resolve(of_eks, region=region)]
    used = set(request.get("VpcConfig", {}).get("SecurityGroupIds", [])) & set(given.values())
    for group in sorted(used):
        for direction in _missing(group, resources, of_eks, region):
            yield f"{group}: no rule of all traffic with itself ({direction})"


def _missing(group: str, resources: Iterable[Any], of_eks: Any, region: str) -> Iterator[str]:
    has = {direction for direction in _PEERS if _within(group, direction, resources)}
    # EKS gives its own group the rule inwards, and from 1.33 on the one outwards.
    # https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html
    if group == outputs(of_eks, region=region).get("EksClusterSecurityGroupId"):
        clusters = [r for r in resources if r.type == "AWS::EKS::Cluster"]
        minor = min(int(c.properties["Version"].partition(".")[2]) for c in clusters)
        own = {"Ingress"} | ({"Egress"} if minor >= 33 else set())
        yield from (f"{way}, which EKS makes itself" for way in sorted(own & has))
        has |= own
    yield from sorted(set(_PEERS) - has)


_PEERS = {"Ingress": "SourceSecurityGroupId", "Egress": "DestinationSecurityGroupId"}


def _within(group: str, direction: str, resources: Iterable[Any]) -> bool:
    rules = (r.properties for r in resources if r.type.endswith(f"Group{direction}"))
    return any(
        rule.get("GroupId") == group == rule.get(_PEERS[direction])
        and str(rule["IpProtocol"]) == "-1"
        for rule in rules
    )


# The EKS cluster -------------------------------------------------------------------------------

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-prerequisites.html
# (2026-11-20)
_VERSIONS = range(30, 36)


def _of_eks(template: Any, request: Any, region: str) -> Iterator[str]:
    """[pre] A version that HyperPod has images for, access by entries, and a way to the nodes."""
    given = outputs(template, region=region)
    clusters = [r for r in resolve(template, region=region) if r.type == "AWS::EKS::Cluster"]
    if len(clusters) != 1:
        yield f"{EKS}: {len(clusters)} EKS clusters"
    for cluster in (made.properties for made in clusters):
        if int(str(cluster.get("Version", "1.0")).partition(".")[2]) not in _VERSIONS:
            yield f"{EKS}: HyperPod has no images for Kubernetes {cluster.get('Version')}"
        if cluster.get("AccessConfig", {}).get("AuthenticationMode") not in _ENTRIES:
            yield f"{EKS}: HyperPod makes entries of access, which the mode does not know"
        if not cluster["ResourcesVpcConfig"].get("EndpointPrivateAccess"):
            yield f"{EKS}: nodes have no way to the API inside the VPC"
    if request["Orchestrator"]["Eks"]["ClusterArn"] != given.get("EksClusterArn"):
        yield f"{REQUEST}: the nodes join another EKS cluster than that of {EKS}"
    groups = [request["VpcConfig"], *_overrides(request)]
    if any(given.get("EksClusterSecurityGroupId") not in g["SecurityGroupIds"] for g in groups):
        yield f"{REQUEST}: nodes and the control plane do not share a security group"


_ENTRIES = ("API", "API_AND_CONFIG_MAP")


def _overrides(request: Any) -> Iterator[Any]:
    for group in request["InstanceGroups"]:
        if "OverrideVpcConfig" in group:
            yield group["OverrideVpcConfig"]
