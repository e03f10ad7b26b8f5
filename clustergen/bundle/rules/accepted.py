"""Rendered documents that a service rejects."""

from clustergen.base.findings import Rule

TOO_MUCH = Rule(
    code="BND020",
    title="The service does not take what the spec renders to",
    why="Lists, texts and files have published limits. The service would reject the document only "
    "during the deployment, after the foundation with its file systems.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html",
)
