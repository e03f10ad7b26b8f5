"""Container images of jobs."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.patterns import pattern
from clustergen.plan.model import Plan
from clustergen.targets.batch.options import Options
from clustergen.targets.batch.rules import rule

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
            else "write software.registry, to which mirror.sh of the bundle copies it",
        )
