"""User data of launch templates, and how PCS merges it with its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.findings import Problem
from clustergen.services.aws import user_data
from clustergen.targets.pcs import limits
from clustergen.targets.pcs.rules import rule

_USER_DATA = """targets: {pcs: {overlay: {Resources: {LaunchTemplateH200: {Properties:
  {LaunchTemplateData: {UserData: {"Fn::Base64": "%s"}}}}}}}}"""


@rule(
    "OVL203",
    "User data that is not MIME multi-part",
    why="PCS merges its own part into the user data of a launch template, which must be MIME "
    "multi-part.",
    source=f"{limits.USER_GUIDE}working-with_ec2-user-data.html",
    bad=_USER_DATA % "#!/bin/bash",
    good=_USER_DATA % r"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=A\n\n--A--\n",
)
def mime(document: Mapping[str, Any]) -> Iterator[Problem]:
    yield from user_data.not_mime(document, "PCS", "AWS::PCS::ComputeNodeGroup")
