"""Container images of jobs."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.base.patterns import pattern
from clustergen.plan.model import Plan
from clustergen.plan.sizes import runs_multi_node
from clustergen.targets.batch.options import Options
from clustergen.targets.batch.rules import rule, warning

_CLOSED = """network: {internet: none}
software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror}"""
_REPOSITORY = pattern(r"[0-9]{12}\.dkr[.-]ecr\.[a-z0-9-]+\.(amazonaws\.com(\.cn)?|on\.aws)/.+")


@rule(
    "IMG602",
    "Public image in a network without a way to the internet",
    why="Nodes pull the image of a job when it starts. Without a way to the internet, they reach "
    "private repositories of ECR in their region only.",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html",
    bad="network: {internet: none}",
    good="network: {internet: none}\n"
    "targets: {batch: {image: '111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1'}}",
)
def public(plan: Plan) -> Iterator[Problem]:
    image = plan.options_as(Options).image
    if not plan.network.closed or (plan.software.registry and not image):
        return
    if not (image and _REPOSITORY.fullmatch(image)):
        yield Problem(
            ("targets", "batch", "image") if image else ("network", "internet"),
            f"jobs use {image or 'a public image'}, which nodes cannot pull",
            help=f"copy it to ECR in {plan.region}, and write targets.batch.image"
            if image
            else "write software.registry, and run the bundle's mirror.sh, which copies it there",
        )


@warning(
    "IMG603",
    "MPI job that needs the internet",
    why="Amazon Linux has no MPI for EFA. Without an image of your own, the MPI job of the bundle "
    "installs it from the internet when it starts.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html",
    bad=f"{_CLOSED}\nnode_groups: [{{name: h200, instance_type: hpc7a.96xlarge}}]",
    good=f"{_CLOSED}\nnode_groups: [{{name: h200, instance_type: m7i.4xlarge}}]",
)
def mpi(plan: Plan) -> Iterator[Problem]:
    if not plan.network.closed or plan.options_as(Options).image:
        return
    for group in plan.node_groups:
        if not group.accelerators[1] and runs_multi_node(group):
            yield Problem(
                group.at("instance_type"),
                f"the MPI job of {group.name} cannot install MPI where network.internet is none",
                help="write targets.batch.image: an image in ECR with MPI and an SSH server",
            )


# https://pkg.go.dev/github.com/distribution/reference (v0.6, 2026-11)
_HOST = r"[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?/"
_NAME = r"[a-z0-9]+((\.|__?|-+)[a-z0-9]+)*"
_TAG = r":[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST = r"@[A-Za-z][A-Za-z0-9]*([+._-][A-Za-z0-9]+)*:[0-9a-f]{32,}"
_REFERENCE = pattern(f"({_HOST})?{_NAME}(/{_NAME})*({_TAG})?({_DIGEST})?")


@rule(
    "IMG604",
    "Not the reference of an image",
    why="AWS Batch takes any text, and every job fails when its node pulls the image. A reference "
    "is REGISTRY/NAME:TAG or REGISTRY/NAME@DIGEST, with the name in lower case.",
    source="https://pkg.go.dev/github.com/distribution/reference",
    bad="targets: {batch: {image: 'train:1.4 latest'}}",
    good="targets: {batch: {image: 'train:1.4'}}",
)
def reference(plan: Plan) -> Iterator[Problem]:
    image = plan.options_as(Options).image
    if image and not _REFERENCE.fullmatch(image):
        yield Problem(
            ("targets", "batch", "image"),
            f"{image} is not the reference of an image",
            help="write it as docker pull takes it, e.g. "
            f"111122223333.dkr.ecr.{plan.region}.amazonaws.com/train:1.4",
        )
