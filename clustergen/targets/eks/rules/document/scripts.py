"""User data of launch templates, and how EKS merges it with its own."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.base.patterns import pattern
from clustergen.services.aws import user_data
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_launch_template, in_node_group, rule
from clustergen.targets.eks.template import Nodes, Template

_SOURCE = f"{limits.LAUNCH_TEMPLATES}#launch-template-user-data"
# The bootstrap script of Amazon Linux 2, the systemd unit and nodeadm start the kubelet.
_STARTS_KUBELET = pattern(r"/etc/eks/bootstrap\.sh|systemctl (re)?start kubelet|nodeadm init")

_PARTS = (
    r'UserData: {Fn::Base64: "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=A\n'
    r'\n--A\n\n%s\n--A--\n"}'
)


@rule(
    "OVL505",
    "User data that is not MIME multi-part",
    why="EKS merges its own user data into that of the launch template, which must be MIME "
    "multi-part unless the image is Bottlerocket or custom.",
    source=_SOURCE,
    bad=in_launch_template("UserData: {Fn::Base64: '#!/bin/bash'}"),
    good=in_launch_template("UserData: null"),
)
def mime(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        is_merged = not (_is_bottlerocket(nodes) or nodes.has_custom_image)
        if nodes.user_data is not None and is_merged and not _is_mime(nodes):
            yield nodes.template_problem(
                ("UserData",),
                user_data.NOT_MIME.format("EKS"),
                user_data.BEGIN,
            )


@rule(
    "OVL542",
    "MIME user data for Bottlerocket",
    why="Bottlerocket reads its settings as TOML and does not start with MIME user data.",
    source=_SOURCE,
    bad=in_node_group("AmiType: BOTTLEROCKET_x86_64_NVIDIA"),
    good=in_node_group("AmiType: AL2023_x86_64_NVIDIA"),
)
def bottlerocket(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        if _is_mime(nodes) and _is_bottlerocket(nodes):
            yield nodes.template_problem(
                ("UserData",),
                "MIME user data for Bottlerocket, which reads TOML",
                "write settings in TOML, or keep an image of Amazon Linux 2023",
            )


@rule(
    "OVL543",
    "User data that starts the kubelet",
    why="EKS adds the commands that start the kubelet. A second start breaks the node.",
    source=_SOURCE,
    bad=in_launch_template(_PARTS % "/etc/eks/bootstrap.sh x"),
    good=in_launch_template(_PARTS % "ulimit -l unlimited"),
)
def kubelet(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        found = _STARTS_KUBELET.search(nodes.user_data or "")
        if found and not nodes.has_custom_image:
            yield nodes.template_problem(
                ("UserData",),
                f"user data with {found[0]}, which EKS runs itself",
                "write a NodeConfig in a part of type application/node.eks.aws",
            )


def _is_mime(nodes: Nodes) -> bool:
    return user_data.is_mime(nodes.user_data or "")


def _is_bottlerocket(nodes: Nodes) -> bool:
    return nodes.image.startswith("BOTTLEROCKET")
