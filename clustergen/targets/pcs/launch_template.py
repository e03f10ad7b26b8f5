"""EC2 launch templates: the properties of nodes that PCS does not set.

PCS ignores some members (InstanceType outside Capacity Blocks, CpuOptions, IamInstanceProfile) and
uses those of the node group.
https://docs.aws.amazon.com/pcs/latest/userguide/working-with_launch-templates_overview.html
"""

from collections.abc import Mapping

from clustergen.base import shell
from clustergen.base.artifacts import Json
from clustergen.plan.model import Interface, Machine, NodeGroup, Plan, Volume
from clustergen.services.aws import cfn, launch_templates, mime
from clustergen.targets.pcs import limits, names, subnets

# One hop reaches processes on the node; those in a bridged container need another.
METADATA_HOPS = 2

# cfn-lint's list of types comes from On-Demand prices, and so lacks types sold only in blocks.
_LINT = {"cfn-lint": {"config": {"ignore_checks": ["E3628"]}}}


def for_group(plan: Plan, group: NodeGroup) -> Json:
    data = {
        **_base(plan, group.name, group.volume, group.tags),
        **_network(plan, group),
        **_placement(group),
        **launch_templates.market(group),
        **launch_templates.reservation(group),
        **launch_templates.block_type(group),
        **launch_templates.user_data(_user_data(group)),
    }
    metadata = {"Metadata": _LINT} if "InstanceType" in data else {}
    return {**launch_templates.resource(plan, group.name, data), **metadata}


def for_login(plan: Plan, login: Machine) -> Json:
    network, found = plan.network, subnets.login_subnets(plan, login)
    # PCS chooses among several.
    subnet = cfn.value(found[0]) if len(found) == 1 else None
    every = (*network.login_security_groups, *plan.security_groups_of(login))
    groups = [cfn.value(id) for id in every]
    interface = {
        **launch_templates.interface(Interface(0, 0, "interface"), groups, subnet),
        "AssociatePublicIpAddress": subnets.login_is_public(plan),
    }
    data = {**_base(plan, names.LOGIN, login.volume, {}), "NetworkInterfaces": [interface]}
    return launch_templates.resource(plan, names.LOGIN, data)


def _base(plan: Plan, name: str, volume: Volume, tags: Mapping[str, str]) -> Json:
    device = limits.ROOT_DEVICES[plan.software.os]
    return {
        **launch_templates.instance_options(plan, METADATA_HOPS),
        **launch_templates.root_volume(volume, device=device, default_gib=limits.DEFAULT_ROOT_GIB),
        **launch_templates.tag_specifications(plan, name, tags),
    }


def _network(plan: Plan, group: NodeGroup) -> Json:
    """Network settings; if nodes are in one subnet, their interfaces have it."""
    groups = [cfn.value(id) for id in plan.security_groups_of(group)]
    if subnets.spreads(group):
        return launch_templates.network(group.interfaces, groups)
    subnet = cfn.value(subnets.group_subnets(plan, group)[0].id)
    return launch_templates.network(group.interfaces, groups, subnet)


def _placement(group: NodeGroup) -> Json:
    name = launch_templates.placement_group(group, names.placement_group(group))
    return {"Placement": {"GroupName": name}} if name else {}


def _user_data(group: NodeGroup) -> str | None:
    """Partitions GPUs on each boot, before lifecycle actions and processes that use them.

    PCS merges another part into the user data, so it must be MIME multipart.
    https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ec2-user-data.html
    https://docs.aws.amazon.com/pcs/latest/userguide/mig-configuration.html
    """
    if not group.mig:
        return None
    profiles = ",".join(name for name, count in group.mig.items() for _ in range(count))
    script = shell.render("pcs/mig.sh.j2", profiles=profiles, gpus=group.type.gpus)
    return mime.multipart([(mime.BOOTHOOK, script)])
