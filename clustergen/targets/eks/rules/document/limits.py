"""Limits of node groups, control planes and user data."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import as_list, as_map
from clustergen.services.aws.launch_templates import MAX_USER_DATA
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_network, in_resources, rule
from clustergen.targets.eks.template import Template

_MOST_TYPES, _MOST_GROUPS = 20, 5

_CPU = "node_groups: [{name: cpu, instance_type: m7i.large, count: 1}]\n"
_FAMILIES = ("m5", "m6i", "m7i")
_SIZES = ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge")
_TYPES = [f"{family}.{size}" for family in _FAMILIES for size in _SIZES]

_GROUPS = [f"sg-0a1b2c3d4e5f6789{n}" for n in range(6)]


def _cpu_types(types: list[str]) -> str:
    return _CPU + in_resources(
        f"NodeGroupCpu: {{Properties: {{InstanceTypes: [{', '.join(types)}]}}}}"
    )


@rule(
    "OVL514",
    "Too many instance types",
    why="A node group has at most 20 instance types.",
    source=limits.CREATE_NODE_GROUP,
    bad=_cpu_types(_TYPES),
    good=_cpu_types(_TYPES[:20]),
)
def instance_types(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        count = len(as_list(nodes.group.properties.get("InstanceTypes")))
        if count > _MOST_TYPES:
            yield nodes.group.problem(
                ("InstanceTypes",), f"{count} instance types", f"at most {_MOST_TYPES}"
            )


@rule(
    "OVL525",
    "Too many security groups for a control plane",
    why="A network interface has at most five security groups by default.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html",
    bad=in_network(f"SecurityGroupIds: [{', '.join(_GROUPS)}]"),
    good=in_network(f"SecurityGroupIds: [{', '.join(_GROUPS[:5])}]"),
)
def security_groups(template: Template) -> Iterator[Problem]:
    for own in template.clusters:
        settings = as_map(own.properties.get("ResourcesVpcConfig"))
        if len(as_list(settings.get("SecurityGroupIds"))) > _MOST_GROUPS:
            yield own.problem(
                ("ResourcesVpcConfig", "SecurityGroupIds"),
                "too many security groups",
                f"at most {_MOST_GROUPS}",
            )


@rule(
    "OVL541",
    "User data above the limit",
    why="EC2 accepts 16 KiB of user data, before base64 encoding.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
)
def user_data(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        length = len((nodes.user_data or "").encode())
        if length > MAX_USER_DATA:
            yield nodes.template_problem(
                ("UserData",),
                f"{length} bytes of user data; the maximum is {MAX_USER_DATA}",
                "keep scripts in S3 and download them",
            )
