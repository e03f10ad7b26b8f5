"""Stack outputs, and the placeholders that they fill."""

from clustergen.base.findings import Rule, Severity, own_rule

UNREADABLE = own_rule(
    code="SPC040",
    title="The file of stack outputs cannot be read",
    why="Its values fill the placeholders of the rendered documents.",
    could_not=True,
)
NOT_OUTPUTS = Rule(
    code="SPC041",
    title="The file does not contain stack outputs",
    why="Values come from `cdk deploy --outputs-file FILE` or from `aws cloudformation "
    "describe-stacks --output json`.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html",
    could_not=True,
)
AMBIGUOUS = own_rule(
    code="SPC042",
    title="Several stacks give different values for one output",
    why="The file does not say which of them the cluster belongs to.",
    severity=Severity.NOTE,
)
UNFILLED = own_rule(
    code="SPC043",
    title="A placeholder has no value",
    why="A document never reaches a service with a placeholder left in it.",
)
