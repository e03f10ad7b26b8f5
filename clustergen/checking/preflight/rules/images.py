"""Images of nodes."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from clustergen.base.account import Answer
from clustergen.base.findings import Path, Problem, Severity, rule, warning
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about, where
from clustergen.plan.model import Plan

IMAGES: Final = "ec2:DescribeImages"
EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"


class _Use(NamedTuple):
    """Nodes that boot an image."""

    path: Path
    arch: str
    root_gib: int | None


def _uses(plan: Plan) -> Iterator[tuple[str, _Use]]:
    for nodes in network.owners(plan):
        if nodes.image and nodes.image.startswith("ami-"):
            # The extra volume of HyperPod is none that the image is on.
            size = None if plan.sagemaker else nodes.volume.size_gib
            yield nodes.image, _Use(nodes.at("image"), nodes.type.arch, size)


def _ids(plan: Plan) -> Iterable[str]:
    return dict.fromkeys(id for id, _ in _uses(plan))


def _images(case: Case) -> Iterator[tuple[str, _Use, Answer]]:
    """Each image in the spec, the nodes that boot it, and what the account says, if it sees it."""
    wanted = network.filtered("image-id", _ids(case.plan))
    known = {each["ImageId"]: each for each in case.every(IMAGES, "Images", Filters=wanted)}
    return ((id, use, known.get(id, {})) for id, use in _uses(case.plan))


_BY_HAND: Final = about(
    _ids,
    "{names}: in {plan.region}, available, for the architecture of the nodes; with EFA, drivers "
    "and a Lustre client for its kernel",
)


common_rule = partial(rule, calls=(IMAGES,), by_hand=_BY_HAND)


@common_rule(
    "PRE055",
    "The image does not exist, or cannot be used",
    why="An image is in one region, and can be disabled or not allowed in the account.",
    source=f"{EC2}ami-lifecycle.html",
    bad="ec2:DescribeImages: {State: disabled}",
    good="ec2:DescribeImages: {State: available}",
)
def image(case: Case) -> Iterator[Problem]:
    for id, use, found in _images(case):
        if not found:
            help = f"aws ec2 copy-image --region {case.region} --source-region ... --name ..."
            message = f"the account sees no {id} in {case.region}"
            yield Problem(use.path, message, f"{help}; or ask its owner to share it")
        elif found.get("State", "available") != "available":
            yield Problem(use.path, f"{id} is {found['State']}", "use another image")
        elif found.get("ImageAllowed") is False:
            help = f"aws ec2 get-allowed-images-settings --region {case.region}"
            yield Problem(use.path, f"the account does not allow {id}", help)


@common_rule(
    "PRE056",
    "The image is for another architecture",
    why="An instance boots only images of its architecture.",
    source=f"{EC2}ComponentsAMIs.html",
    bad="ec2:DescribeImages: {Architecture: arm64}",
    good="ec2:DescribeImages: {Architecture: x86_64}",
)
def architecture(case: Case) -> Iterator[Problem]:
    for id, use, found in _images(case):
        arch = found.get("Architecture")
        if arch and arch != use.arch:
            message = f"{id} is for {arch}, and the nodes are {use.arch}"
            yield Problem(use.path, message, f"use an image for {use.arch}")


@common_rule(
    "PRE057",
    "The root volume is smaller than the image",
    why="A volume has at least the size of its snapshot.",
    source=f"{EC2}block-device-mapping-concepts.html",
    bad="ec2:DescribeImages: {RootDeviceName: a, BlockDeviceMappings: [{DeviceName: a, Ebs: "
    "{VolumeSize: 900}}]}",
    good="ec2:DescribeImages: {RootDeviceName: a, BlockDeviceMappings: [{DeviceName: a, Ebs: "
    "{VolumeSize: 8}}]}",
)
def root_volume(case: Case) -> Iterator[Problem]:
    for id, use, found in _images(case):
        least = _root_gib(found)
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


def _said(image: Answer) -> str:
    return f"{image.get('Name', '')} {image.get('Description', '')}".lower()


@warning(
    "PRE059",
    "The image seems to have another operating system",
    why="Packages, users and the Lustre client, a module of the kernel, are those of the operating "
    "system in the spec. Only the name of the image tells which one it has.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html",
    calls=(IMAGES,),
    by_hand=lambda plan: _BY_HAND(plan) if plan.scheduler == "slurm" else "",
    bad="ec2:DescribeImages: {Name: my-rocky-8-image}",
    good="ec2:DescribeImages: {Name: my-image}",
)
def operating_system(case: Case) -> Iterator[Problem]:
    wanted = case.plan.software.os
    for id, use, image in _images(case):
        found = [os for os, words in _NAMES.items() if re.search(words, _said(image))]
        if found and wanted not in found:
            message = f"{id} is called {image.get('Name')!r}, and the spec has os: {wanted}"
            yield Problem(use.path, message, f"write os: {found[0]}, or use another image")


@common_rule(
    "PRE058",
    "The image is deprecated",
    why="Its owner no longer updates it, and may delete it: then no node starts any more.",
    source=f"{EC2}ami-deprecate.html",
    bad="ec2:DescribeImages: {DeprecationTime: '2020-01-01T00:00:00.000Z'}",
    good="ec2:DescribeImages: {DeprecationTime: '2099-01-01T00:00:00.000Z'}",
    severity=Severity.WARNING,
)
def deprecated(case: Case) -> Iterator[Problem]:
    for id, use, found in _images(case):
        since = found.get("DeprecationTime")
        if since and datetime.fromisoformat(since) <= case.now:
            message = f"{id} is deprecated since {since[:10]}"
            yield Problem(use.path, message, "use a newer image, or copy this one")


def _agent_by_hand(plan: Plan) -> str:
    from clustergen.targets.pcs.limits import AGENT  # every render imports this module

    line = f"{{names}}: with PCS agent {AGENT} or later, and Slurm {_slurm(plan)} of PCS"
    return about(_ids, line)(plan) if plan.target == "pcs" else ""


def _slurm(plan: Plan) -> str:
    return plan.slurm.version or plan.limits.default_slurm_version


@warning(
    "PRE091",
    "The image seems to have another Slurm version, or an old PCS agent",
    why="Nodes with an agent that is too old, or without the Slurm version of the cluster, boot, "
    "do not join it, and are replaced again and again. Only the name, description and tags of the "
    "image tell which ones it has.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions-configure.html",
    calls=(IMAGES,),
    by_hand=_agent_by_hand,
    bad="ec2:DescribeImages: {Name: my-ami-slurm-24.11}",
    good="ec2:DescribeImages: {Name: my-ami-slurm-25.11}",
)
def agent(case: Case) -> Iterator[Problem]:
    from clustergen.targets.pcs.limits import AGENT

    wanted = _slurm(case.plan)
    for id, use, image in _images(case):
        tags = (f"{tag['Key']} {tag['Value']}" for tag in image.get("Tags", ()))
        said = " ".join((_said(image), *tags)).lower()
        slurm = re.findall(r"slurm[ :v_-]*((?:[0-9]{2}\.[0-9]{2}(?![0-9])[ ,]*)+)", said)
        if slurm and not any(wanted in text for text in slurm):
            message = f"{id} seems to have Slurm {slurm[0].strip(' ,')}, and the cluster {wanted}"
            yield Problem(use.path, message, "use an image with that version, or build one")
        agents = re.findall(r"pcs[ _-]agent[ :v_-]*(?:version)?[ :v_-]*([0-9]+(?:\.[0-9]+)+)", said)
        if agents and _numbers(agents[0]) < _numbers(AGENT):
            message = f"{id} seems to have PCS agent {agents[0]}, and needs {AGENT} or later"
            yield Problem(use.path, message, "build it again with a newer agent")


def _baked_by_hand(plan: Plan) -> str:
    from clustergen.targets.parallelcluster.limits import VERSION

    made = f"made by `pcluster build-image` of version {VERSION} (tag `{MADE_BY}`)"
    line = f"{{names}}: {made}, or a copy of such an image"
    return about(_ids, line)(plan) if plan.target == "parallelcluster" else ""


MADE_BY: Final = "parallelcluster:version"
"""The tag that ``pcluster build-image`` gives images."""


@rule(
    "PRE094",
    "The image is not of this version of ParallelCluster",
    why="A node stops at boot unless `pcluster build-image` of the cluster's version made its "
    "image. Copies, and images of other accounts, can lack its tag.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/building-custom-ami-v3.html",
    calls=(IMAGES,),
    by_hand=_baked_by_hand,
    bad=f"ec2:DescribeImages: {{Tags: [{{Key: '{MADE_BY}', Value: 3.0.0}}]}}",
    good="ec2:DescribeImages: {State: available}",
)
def baked(case: Case) -> Iterator[Problem]:
    from clustergen.targets.parallelcluster.limits import VERSION

    for id, use, found in _images(case):
        made = {tag["Key"]: tag["Value"] for tag in found.get("Tags", ())}.get(MADE_BY)
        help = f"build one with pcluster build-image {VERSION}"
        if found and not made:
            message = f"{id} has no tag {MADE_BY}: pcluster may not have made it"
            help = f"unless it is a copy of such an image, {help}"
            yield Problem(use.path, message, help, severity=Severity.WARNING)
        elif found and made != VERSION:
            yield Problem(use.path, f"{id} is of ParallelCluster {made}, not {VERSION}", help)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall("[0-9]+", version)[:3])


ALLOWED: Final = "ec2:GetAllowedImagesSettings"


def _default_images(plan: Plan) -> Path | None:
    """Nodes that boot an image of AWS; those of HyperPod boot it in SageMaker's account."""
    nodes = [plan.system] if plan.sagemaker else plan.nodes
    return next((node.path for node in nodes if node and not node.image), None)


@warning(
    "PRE093",
    "The account allows no images of AWS",
    why="With allowed images, EC2 starts no instance from an image whose provider the account does "
    "not allow. The provider of the services' images is amazon.",
    source=f"{EC2}ec2-allowed-amis.html",
    calls=(ALLOWED,),
    by_hand=where(_default_images, "the account allows images of amazon in {plan.region}"),
    bad="ec2:GetAllowedImagesSettings: {State: enabled, ImageCriteria: [{ImageProviders: [none]}]}",
    good="ec2:GetAllowedImagesSettings: {State: enabled, ImageCriteria: "
    "[{ImageProviders: [amazon]}]}",
)
def allowed(case: Case) -> Iterator[Problem]:
    settings = case.ask(ALLOWED)
    providers = [each.get("ImageProviders", ()) for each in settings.get("ImageCriteria", ())]
    if settings.get("State") == "enabled" and all(p and "amazon" not in p for p in providers):
        listed_ones = ", ".join(sorted({name for each in providers for name in each})) or "none"
        yield Problem(
            _default_images(case.plan) or (),
            f"the account allows images of {listed_ones}, not of amazon",
            f"aws ec2 get-allowed-images-settings --region {case.region} shows it; allow amazon, "
            "or write images that the account allows",
        )
