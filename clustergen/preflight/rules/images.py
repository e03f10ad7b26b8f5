"""Images of nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from clustergen.account import Answer
from clustergen.findings import Path, Problem, Severity
from clustergen.plan.model import Plan
from clustergen.preflight import network
from clustergen.preflight.case import Case
from clustergen.preflight.rules import listed, rule

IMAGES: Final = "ec2:DescribeImages"
EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"


class _Use(NamedTuple):
    """Nodes that boot an image."""

    path: Path
    arch: str
    root_gib: int | None


def _uses(plan: Plan) -> Iterator[tuple[str, _Use]]:
    for group in plan.node_groups:
        if _is_id(group.image):
            # The extra volume of HyperPod is none that the image is on.
            size = None if plan.sagemaker else group.volume.size_gib
            yield str(group.image), _Use(group.at("image"), group.type.arch, size)
    for machine in plan.machines:
        if _is_id(machine.image):
            size = None if plan.sagemaker else machine.volume.size_gib
            yield str(machine.image), _Use(machine.at("image"), machine.type.arch, size)


def _is_id(image: str | None) -> bool:
    return bool(image and image.startswith("ami-"))


def _images(case: Case) -> Mapping[str, Answer]:
    ids = [id for id, _ in _uses(case.plan)]
    found = case.every(IMAGES, "Images", Filters=network.filtered("image-id", ids))
    return {image["ImageId"]: image for image in found}


def _by_hand(plan: Plan) -> str:
    ids = listed(dict.fromkeys(id for id, _ in _uses(plan)))
    return (
        f"{ids}: in {plan.region}, available, for the architecture of the nodes; with EFA, drivers "
        "and a Lustre client for its kernel"
        if ids
        else ""
    )


@rule(
    "PRE055",
    "The image does not exist, or cannot be used",
    why="An image is in one region, and can be disabled or not allowed in the account.",
    source=f"{EC2}ami-lifecycle.html",
    calls=(IMAGES,),
    by_hand=_by_hand,
    bad="ec2:DescribeImages: {State: disabled}",
    good="ec2:DescribeImages: {State: available}",
)
def image(case: Case) -> Iterator[Problem]:
    known = _images(case)
    for id, use in _uses(case.plan):
        found = known.get(id)
        if found is None:
            help = f"aws ec2 copy-image --region {case.region} --source-region ... --name ..."
            message = f"the account sees no {id} in {case.region}"
            yield Problem(use.path, message, f"{help}; or ask its owner to share it")
        elif found.get("State", "available") != "available":
            yield Problem(use.path, f"{id} is {found['State']}", "use another image")
        elif found.get("ImageAllowed") is False:
            help = f"aws ec2 get-allowed-images-settings --region {case.region}"
            yield Problem(use.path, f"the account does not allow {id}", help)


@rule(
    "PRE056",
    "The image is for another architecture",
    why="An instance boots only images of its architecture.",
    source=f"{EC2}ComponentsAMIs.html",
    calls=(IMAGES,),
    by_hand=_by_hand,
    bad="ec2:DescribeImages: {Architecture: arm64}",
    good="ec2:DescribeImages: {Architecture: x86_64}",
)
def architecture(case: Case) -> Iterator[Problem]:
    known = _images(case)
    for id, use in _uses(case.plan):
        arch = known.get(id, {}).get("Architecture")
        if arch and arch != use.arch:
            message = f"{id} is for {arch}, and the nodes are {use.arch}"
            yield Problem(use.path, message, f"use an image for {use.arch}")


@rule(
    "PRE057",
    "The root volume is smaller than the image",
    why="A volume has at least the size of its snapshot.",
    source=f"{EC2}block-device-mapping-concepts.html",
    calls=(IMAGES,),
    by_hand=_by_hand,
    bad="ec2:DescribeImages: {RootDeviceName: a, BlockDeviceMappings: [{DeviceName: a, Ebs: "
    "{VolumeSize: 900}}]}",
    good="ec2:DescribeImages: {RootDeviceName: a, BlockDeviceMappings: [{DeviceName: a, Ebs: "
    "{VolumeSize: 8}}]}",
)
def root_volume(case: Case) -> Iterator[Problem]:
    known = _images(case)
    for id, use in _uses(case.plan):
        least = _root_gib(known.get(id, {}))
        if use.root_gib and use.root_gib < least:
            message = f"the root volume has {use.root_gib} GiB, and {id} {least} GiB"
            yield Problem((*use.path[:-1], "root_volume"), message, f"write size: {least}GiB")


def _root_gib(image: Answer) -> int:
    """The size of the root volume in an image; 0 if it is not known."""
    for device in image.get("BlockDeviceMappings", ()):
        if device.get("DeviceName") == image.get("RootDeviceName"):
            return int(device.get("Ebs", {}).get("VolumeSize", 0))
    return 0


_NAMES: Final = {
    "alinux2023": "al2023|amazon.?linux.?2023",
    "ubuntu2204": r"ubuntu.{0,20}22[.-]?04|jammy",
    "ubuntu2404": r"ubuntu.{0,20}24[.-]?04|noble",
    "rhel8": r"rhel-?8|red.?hat.{0,20}\b8\b",
    "rhel9": r"rhel-?9|red.?hat.{0,20}\b9\b",
    "rocky8": r"rocky.{0,10}\b8\b",
    "rocky9": r"rocky.{0,10}\b9\b",
}
"""What the name or description of an image contains, by operating system in the spec."""


def _systems(image: Answer) -> list[str]:
    """The operating systems that an image may have, by its name; none if it does not tell."""
    text = f"{image.get('Name', '')} {image.get('Description', '')}".lower()
    return [os for os, words in _NAMES.items() if re.search(words, text)]


def _system_by_hand(plan: Plan) -> str:
    return _by_hand(plan) if plan.scheduler == "slurm" else ""


@rule(
    "PRE059",
    "The image seems to have another operating system",
    why="Packages, users and the Lustre client, a module of the kernel, are those of the operating "
    "system in the spec. Only the name of the image tells which one it has.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html",
    calls=(IMAGES,),
    by_hand=_system_by_hand,
    bad="ec2:DescribeImages: {Name: my-rocky-8-image}",
    good="ec2:DescribeImages: {Name: my-image}",
    severity=Severity.WARNING,
)
def operating_system(case: Case) -> Iterator[Problem]:
    known, wanted = _images(case), case.plan.software.os
    for id, use in _uses(case.plan):
        found = _systems(known.get(id, {}))
        if found and wanted not in found:
            message = f"{id} is called {known[id].get('Name')!r}, and the spec has os: {wanted}"
            yield Problem(use.path, message, f"write os: {found[0]}, or use another image")


@rule(
    "PRE058",
    "The image is deprecated",
    why="Its owner no longer updates it, and may delete it: then no node starts any more.",
    source=f"{EC2}ami-deprecate.html",
    calls=(IMAGES,),
    by_hand=_by_hand,
    bad="ec2:DescribeImages: {DeprecationTime: '2020-01-01T00:00:00.000Z'}",
    good="ec2:DescribeImages: {DeprecationTime: '2099-01-01T00:00:00.000Z'}",
    severity=Severity.WARNING,
)
def deprecated(case: Case) -> Iterator[Problem]:
    known = _images(case)
    for id, use in _uses(case.plan):
        since = known.get(id, {}).get("DeprecationTime")
        if since and datetime.fromisoformat(since) <= case.now:
            message = f"{id} is deprecated since {since[:10]}"
            yield Problem(use.path, message, "use a newer image, or copy this one")
