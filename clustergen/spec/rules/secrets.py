"""Secrets, and what stands in for them."""

from clustergen.base.findings import Rule, Severity, own_rule

SECRET = Rule(
    code="SPC060",
    title="Secret in the spec",
    why="Many users and programs can read where rendered files go: user data, tags, templates, the "
    "bucket of scripts, the Kubernetes API, CloudTrail. Specs and bundles are committed, too.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-metadata.html",
    severity=Severity.WARNING,
    bad="software: {scripts: [{run: 's3://bucket/a.sh', args: [--token, correct-horse]}]}",
    good="software: {scripts: [{run: 's3://bucket/a.sh', args: [--token-name, team/token]}]}",
)
FILLED_IN = own_rule(
    code="SPC061",
    title="Stand-in for a value",
    why="`clustergen import` writes FILL-IN-... and ids of zeros for what the original does not "
    "say, and for secrets, which it does not copy. Deploying them would fail, or go to another "
    "place.",
    bad="software: {scripts: [{run: 's3://bucket/a.sh', args: [--token, FILL-IN-token]}]}",
    good="software: {scripts: [{run: 's3://bucket/a.sh', args: [--token-name, team/token]}]}",
)
