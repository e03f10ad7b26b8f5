"""What nodes may do in AWS: the policies that eksctl attaches to their roles."""

from collections.abc import Iterator
from typing import Final

from clustergen.base.text_lists import words
from clustergen.facts.catalog.regions import partition_of
from clustergen.importing.eksctl.form import POLICIES, ROLES
from clustergen.importing.eksctl.keys import Keys
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json, link

NODE_ROLE: Final = "NodeRole"
"""The logical id of the role that all nodes of a cluster have."""
_BASE: Final = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly")
# https://docs.aws.amazon.com/eks/latest/eksctl/iam-policies.html, read on 2026-11-22. eksctl has
# policies of its own for some add-ons, for which AWS has managed ones.
_MANAGED: Final = {
    "cloudWatch": "CloudWatchAgentServerPolicy",
    "ebs": "service-role/AmazonEBSCSIDriverPolicy",
    "efs": "service-role/AmazonEFSCSIDriverPolicy",
    "fsx": "AmazonFSxFullAccess",
    "imageBuilder": "AmazonEC2ContainerRegistryPowerUser",
    "xRay": "AWSXRayDaemonWriteAccess",
}
# https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/cloudprovider/aws/README.md
_AUTOSCALER: Final = words("""
    autoscaling:DescribeAutoScalingGroups autoscaling:DescribeAutoScalingInstances
    autoscaling:DescribeLaunchConfigurations autoscaling:DescribeScalingActivities
    autoscaling:DescribeTags autoscaling:SetDesiredCapacity
    autoscaling:TerminateInstanceInAutoScalingGroup ec2:DescribeImages ec2:DescribeInstanceTypes
    ec2:DescribeLaunchTemplateVersions ec2:GetInstanceTypesFromInstanceRequirements
    eks:DescribeNodegroup
""")


def permissions(config: Keys, region: str, notes: Notes) -> Json:
    """The managed policies of the nodes' role, and policies within it."""
    prefix = f"arn:{partition_of(region).name}:iam::aws:policy/"
    given: list[str] = []
    scaled = False
    for group in config.groups():
        policies = [*_policies(group, prefix)]
        given += policies
        scaled = group.section("iam").section("withAddonPolicies").take("autoScaler") or scaled
    if not given and not scaled:
        return {}
    text = "all nodes have one role with the policies of every node group"
    notes.decided(("managedNodeGroups",), text, "targets")
    every = dict.fromkeys((*(prefix + each for each in _BASE), *given))
    found: Json = {ROLES: {NODE_ROLE: {"ManagedPolicyArns": list(every)}}}
    return found | ({POLICIES: {"autoscaler": _autoscaler()}} if scaled is True else {})


def _policies(group: Keys, prefix: str) -> Iterator[str]:
    iam = group.section("iam")
    yield from iam.texts("attachPolicyARNs")
    addons = iam.section("withAddonPolicies")
    for name, policy in _MANAGED.items():
        if addons.take(name) is True:
            yield prefix + policy


def _autoscaler() -> Json:
    statement = {"Effect": "Allow", "Action": list(_AUTOSCALER), "Resource": "*"}
    return {
        "PolicyName": "autoscaler",
        "RoleName": link(ROLES, NODE_ROLE),
        "PolicyDocument": {"Version": "2012-10-17", "Statement": [statement]},
    }
