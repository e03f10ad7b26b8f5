"""Resources of a CloudFormation template, and references to them."""

from clustergen.base.findings import Rule, Severity, own_rule

UNCHECKED = own_rule(
    code="OVL006",
    title="An overlay adds a resource that is not checked",
    why="clustergen has schemas only for the resource types that it emits.",
    severity=Severity.NOTE,
    target="pcs",
    bad="targets: {pcs: {overlay: {Resources: {Topic: {Type: 'AWS::SNS::Topic'}}}}}",
    good="targets: {pcs: {}}",
)
DANGLING = Rule(
    code="OVL008",
    title="Reference to a missing resource or parameter",
    why="CloudFormation rejects a template that refers to a resource or parameter that it does "
    "not define.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-ref.html",
    target="pcs",
    bad="targets: {pcs: {overlay: {Outputs: {Topic: {Value: {Ref: Topic}}}}}}",
    good="targets: {pcs: {overlay: {Outputs: {Region: {Value: {Ref: 'AWS::Region'}}}}}}",
)
