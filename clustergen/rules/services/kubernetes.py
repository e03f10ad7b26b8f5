"""The control plane of an EKS cluster that is created with the nodes."""

import ipaddress
from collections.abc import Iterator

from clustergen.base.findings import Problem, put, safe, unsafe, unwanted
from clustergen.base.patterns import pattern
from clustergen.plan.model import Plan
from clustergen.plan.network import is_internal
from clustergen.rules.services import rule, warning
from clustergen.services.eks import addon_names


@rule(
    "K8S005",
    "Private addresses for the public endpoint",
    why="The public endpoint of the Kubernetes API is reached through the internet, where private "
    "addresses never arrive; EKS refuses them. The private endpoint lets in the whole VPC.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    target="eks",
    bad="kubernetes: {public_endpoint_from: [10.0.0.0/8]}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
def private_addresses(plan: Plan) -> Iterator[Problem]:
    for index, cidr in enumerate(plan.kubernetes.public_endpoint_from if _made(plan) else ()):
        if is_internal(ipaddress.ip_network(cidr)):
            yield unwanted(
                ("kubernetes", "public_endpoint_from", index),
                f"{cidr} is a block of private addresses",
                help="write the public addresses of your network, or remove it: "
                "the private endpoint lets in the VPC",
            )


@warning(
    "K8S006",
    "IPv6 addresses for the endpoint of an IPv4 cluster",
    why="Only clusters of the family IPv6 have a public endpoint that IPv6 reaches. Clusters here "
    "are of the family IPv4.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    target="eks",
    bad="kubernetes: {public_endpoint_from: ['2001:db8::/32']}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
def ipv6_addresses(plan: Plan) -> Iterator[Problem]:
    for index, cidr in enumerate(plan.kubernetes.public_endpoint_from if _made(plan) else ()):
        if ipaddress.ip_network(cidr).version != 4:
            yield unwanted(
                ("kubernetes", "public_endpoint_from", index),
                f"{cidr} is an IPv6 block, and the endpoint has IPv4 addresses",
                help="write the IPv4 addresses that your network is seen with",
            )


_MOST_BLOCKS = 40
"""Public endpoint access CIDR ranges per cluster; the quota is fixed. 2026-11."""


@rule(
    "K8S007",
    "More blocks than the public endpoint takes",
    why=f"The public endpoint of an EKS cluster lets in up to {_MOST_BLOCKS} blocks. The quota "
    "cannot be raised.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html",
    target="eks",
    bad="kubernetes: {public_endpoint_from: ["
    + ", ".join(f"203.0.113.{4 * n}/30" for n in range(_MOST_BLOCKS + 1))
    + "]}",
    good="kubernetes: {public_endpoint_from: ["
    + ", ".join(f"203.0.113.{4 * n}/30" for n in range(_MOST_BLOCKS))
    + "]}",
)
def blocks(plan: Plan) -> Iterator[Problem]:
    count = len(plan.kubernetes.public_endpoint_from)
    if _made(plan) and count > _MOST_BLOCKS:
        yield Problem(
            ("kubernetes", "public_endpoint_from"),
            f"{count} blocks; the public endpoint takes {_MOST_BLOCKS}",
            help="write larger blocks that contain several of them",
        )


@rule(
    "K8S008",
    "Not an EKS add-on",
    why="EKS rejects an add-on that it does not have, and CloudFormation rolls the stack back. "
    "Other software is installed with its chart.",
    source=addon_names.SOURCE,
    target="eks",
    bad="kubernetes: {addons: [{name: vpc-cnii}]}",
)
def unknown_addon(plan: Plan) -> Iterator[Problem]:
    for index, addon in enumerate(plan.kubernetes.addons if _made(plan) else ()):
        path = ("kubernetes", "addons", index, "name")
        help, name = addon_names.meant(addon.name)
        if help:
            fix = unsafe(put(path, name)) if name else None
            yield Problem(path, f"{addon.name} is not an EKS add-on", help=help, fix=fix)


_BUILD = pattern(r"v[0-9]+\.[0-9]+\.[0-9]+\S*-eksbuild\.[0-9]+")


@rule(
    "K8S009",
    "Version that no EKS add-on has",
    why="Versions of EKS add-ons begin with v and end with a build, as in v1.19.2-eksbuild.1. EKS "
    "rejects any other, and CloudFormation rolls the stack back.",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_AddonVersionInfo.html",
    target="eks",
    bad="kubernetes: {addons: [{name: vpc-cni, version: 1.19.2-eksbuild.1}]}",
)
def addon_version(plan: Plan) -> Iterator[Problem]:
    for index, addon in enumerate(plan.kubernetes.addons if _made(plan) else ()):
        # Partners number their add-ons, vendor_product, as they like.
        if addon.version is None or "_" in addon.name or _BUILD.fullmatch(addon.version):
            continue
        path = ("kubernetes", "addons", index, "version")
        whole = f"v{addon.version}"
        fix = safe(put(path, whole)) if _BUILD.fullmatch(whole) else None
        yield Problem(
            path,
            f"{addon.version} is not the version of an EKS add-on",
            help=f"write {whole}"
            if fix
            else f"write a version of `aws eks describe-addon-versions --addon-name {addon.name}`",
            fix=fix,
        )


_VPC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]
  security_groups: [sg-0a1b2c3d4e5f67890]
{}"""
_TWO = """  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f67891, zone: use1-az6, cidr: 10.42.255.224/28}
    - {id: subnet-0a1b2c3d4e5f67892, zone: use1-az2, cidr: 10.42.255.240/28}"""


@rule(
    "NET022",
    "Control plane in one zone",
    why="EKS puts the network interfaces of a control plane into subnets of at least two zones. "
    "Nodes may stay in one.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    target="eks",
    bad=_VPC.format(""),
    good=_VPC.format(_TWO),
)
def one_zone(plan: Plan) -> Iterator[Problem]:
    zones = {subnet.zone for subnet in plan.network.control_plane}
    if _made(plan) and not plan.network.new and len(zones) < 2:
        named = plan.wrote("network", "control_plane_subnets")
        yield Problem(
            ("network", "control_plane_subnets" if named else "private_subnets"),
            "the subnets of the control plane are not known to be in two zones",
            help="write network.control_plane_subnets: two subnets with the zone of each",
            source=plan.limits.control_plane_zones,
        )


def _made(plan: Plan) -> bool:
    """Whether an EKS cluster is created with the nodes."""
    return bool(plan.limits.control_plane_zones) and plan.system is not None
