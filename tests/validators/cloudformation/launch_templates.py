"""A launch template together with the PCS node group that uses it, against EC2's facts.

The service models check each request alone; what must agree between the two is written here, from
https://docs.aws.amazon.com/pcs/latest/userguide/working-with_launch-templates_overview.html and
https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-configure-cng.html (2026-11-20).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.validators.cloudformation.intrinsics import Resource
from tests.validators.instance_types import all_types, gpus
from tests.validators.network_interfaces import interface_violations
from tests.validators.placeholders import resource_id
from tests.validators.user_data import user_data_violations

# Purchase option of a node group to the market type of its launch template.
_MARKET_TYPES = {
    "CAPACITY_BLOCK": "capacity-block",
    "INTERRUPTIBLE_CAPACITY_RESERVATION": "interruptible-capacity-reservation",
}


def launch_template_violations(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    """Logical id of a launch template or node group, and what is wrong with it."""
    templates = {
        resource_id("lt", r.logical_id): r
        for r in resources
        if r.type == "AWS::EC2::LaunchTemplate"
    }
    for template in templates.values():
        for violation in _alone(_data(template)):
            yield template.logical_id, violation
    for group in (r for r in resources if r.type == "AWS::PCS::ComputeNodeGroup"):
        used = group.properties.get("CustomLaunchTemplate", {}).get("TemplateId")
        if used in templates:
            for violation in _together(_data(templates[used]), group.properties):
                yield group.logical_id, violation
        else:
            yield group.logical_id, f"no launch template of this stack has the id {used}"


def _data(template: Resource) -> Mapping[str, Any]:
    data: Mapping[str, Any] = template.properties.get("LaunchTemplateData", {})
    return data


def _alone(data: Mapping[str, Any]) -> Iterator[str]:
    if data.get("NetworkInterfaces") and data.get("SecurityGroupIds"):
        yield "SecurityGroupIds beside NetworkInterfaces: EC2 wants Groups on each interface"
    if "UserData" in data:
        yield from user_data_violations(data["UserData"])


def _together(data: Mapping[str, Any], group: Mapping[str, Any]) -> Iterator[str]:
    names = [config.get("InstanceType") for config in group.get("InstanceConfigs", [])]
    facts = [all_types()[name] for name in names if name in all_types()]
    yield from (f"no instance type {name}" for name in names if name not in all_types())
    for entry in facts:
        for violation in interface_violations(data.get("NetworkInterfaces") or _PLAIN, entry):
            yield f"{entry['InstanceType']}: {violation}"
    yield from _elsewhere(data, group)
    yield from _alike(facts)
    yield from _purchase(data, group, names)
    if "AmiId" not in group and "ImageId" not in data:
        yield "neither AmiId nor the launch template's ImageId"


def _elsewhere(data: Mapping[str, Any], group: Mapping[str, Any]) -> Iterator[str]:
    """An interface's subnet is one of the node group's."""
    subnets = {i["SubnetId"] for i in data.get("NetworkInterfaces", []) if "SubnetId" in i}
    for subnet in sorted(subnets - set(group.get("SubnetIds", []))):
        yield f"an interface in {subnet}, which is no subnet of the node group"


# Without NetworkInterfaces, EC2 makes one plain interface with the template's SecurityGroupIds.
_PLAIN = [{"DeviceIndex": 0, "Groups": ["of the template"]}]


def _alike(facts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One node group's types agree in architecture, vCPUs and GPUs."""
    for what, values in (
        ("architectures", {tuple(f["ProcessorInfo"]["SupportedArchitectures"]) for f in facts}),
        ("vCPU counts", {f["VCpuInfo"]["DefaultVCpus"] for f in facts}),
        ("GPU counts", {gpus(f) for f in facts}),
    ):
        if len(values) > 1:
            yield f"instance types of different {what}: {sorted(values)}"


def _purchase(
    data: Mapping[str, Any], group: Mapping[str, Any], names: Sequence[str]
) -> Iterator[str]:
    option = group.get("PurchaseOption", "ONDEMAND")
    market = data.get("InstanceMarketOptions", {}).get("MarketType")
    target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    if market != _MARKET_TYPES.get(option):
        yield f"PurchaseOption {option} with MarketType {market}"
    if option in _MARKET_TYPES and "CapacityReservationId" not in target:
        yield f"PurchaseOption {option} without a CapacityReservationId in the launch template"
    if option == "CAPACITY_BLOCK" and [data.get("InstanceType")] != list(names):
        yield f"a Capacity Block of {data.get('InstanceType')} for instances of {names}"
    usage = {"CAPACITY_BLOCK": "capacity-block", "SPOT": "spot"}.get(option, "")
    for name in names:
        classes = all_types().get(name, {}).get("SupportedUsageClasses", [usage])
        if usage and usage not in classes:
            yield f"{name} cannot be had as {option}"
