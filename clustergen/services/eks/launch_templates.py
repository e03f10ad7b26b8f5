"""EC2 launch templates: parts that all EKS nodes share."""

from collections.abc import Mapping

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan, Volume
from clustergen.services.aws import cfn, launch_templates
from clustergen.services.kubernetes import disks

ROOT_DEVICE = "/dev/xvda"
"""Root device of Amazon Linux 2023."""

# Pods get their roles through pod identity, and cannot use the node's role.
# https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html
METADATA_HOPS = 1


def resource(
    plan: Plan, name: str, volume: Volume, more: Json, tags: Mapping[str, str] | None = None
) -> Json:
    """The launch template of the nodes ``name``: disk, metadata, tags and ``more``."""
    root_gib = disks.root_gib(volume)
    data = {
        **launch_templates.instance_options(plan, METADATA_HOPS),
        **launch_templates.root_volume(volume, device=ROOT_DEVICE, default_gib=root_gib),
        # EKS does not copy the tags of a node group to its instances.
        **launch_templates.tag_specifications(plan, name, tags or {}),
        **more,
    }
    return cfn.resource("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data})


def newest(logical_id: str) -> Json:
    """The newest version of a launch template; with a literal one, nodes would never change."""
    version = cfn.get_att(logical_id, "LatestVersionNumber")
    return {"Id": cfn.ref(logical_id), "Version": version}
