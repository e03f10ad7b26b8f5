"""User data of a launch template, as EKS merges it with its own.

https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#launch-template-user-data
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from clustergen.targets.eks import limits
from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import Nodes, Template, a_map

# What starts the kubelet: a script of Amazon Linux 2, or the unit itself.
_STARTS_KUBELET = re.compile(r"/etc/eks/bootstrap\.sh|systemctl (re)?start kubelet|nodeadm init")


def breaches(_: Template, nodes: Nodes) -> Iterator[Breach]:
    """What EC2 refuses, or EKS cannot merge."""
    text = _text(nodes.data.get("UserData"))
    if text is None:
        return
    if len(text.encode()) > limits.MAX_USER_DATA:
        yield _breach(
            nodes,
            f"{len(text.encode())} bytes of user data, of {limits.MAX_USER_DATA} at the most",
            "keep scripts in S3, and fetch them",
        )
    multipart = re.match(r"(MIME-Version|Content-Type):", text) is not None
    if str(nodes.group.properties.get("AmiType")).startswith("BOTTLEROCKET"):
        if multipart:
            yield _breach(
                nodes,
                "MIME user data for Bottlerocket, which reads TOML",
                "write settings in TOML, or keep an image of Amazon Linux 2023",
            )
    elif not multipart and "ImageId" not in nodes.data:
        yield _breach(
            nodes,
            "user data that is not MIME multi-part, so that EKS cannot merge its own",
            "begin it with MIME-Version: 1.0 and Content-Type: multipart/mixed",
        )
    if "ImageId" not in nodes.data and (found := _STARTS_KUBELET.search(text)):
        yield _breach(
            nodes,
            f"user data with {found[0]}, which EKS does by itself",
            "write a NodeConfig in a part of type application/node.eks.aws",
        )


def _text(value: Any) -> str | None:
    """The text before base64, of which references are still to be filled in; None if unknown."""
    inner = a_map(value).get("Fn::Base64")
    sub = a_map(inner).get("Fn::Sub")
    for given in (inner, sub, sub[0] if isinstance(sub, list) and sub else None):
        if isinstance(given, str):
            return given
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return value


def _breach(nodes: Nodes, message: str, help: str) -> Breach:
    return nodes.in_template("user-data", ("UserData",), message, help)
