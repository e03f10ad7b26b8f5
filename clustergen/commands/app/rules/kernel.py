"""Problems that prevent the CDK from starting."""

from clustergen.base.findings import Rule

NO_KERNEL = Rule(
    code="BND015",
    title="The CDK does not start",
    why="The AWS CDK runs on Node.js.",
    source="https://docs.aws.amazon.com/cdk/v2/guide/work-with-cdk-python.html",
)
NO_EXTRA = Rule(
    code="BND016",
    title="An extra of clustergen is not installed",
    why="The AWS CDK is large, and only the CDK app needs it (extra eks). "
    "Only stacks that install software themselves need kubectl and helm (extra kubectl).",
    source="https://packaging.python.org/en/latest/specifications/dependency-specifiers/#extras",
)
