"""What can be said of an overlay: OVL001 to OVL008."""

from __future__ import annotations

from clustergen.findings import EXAMPLE_BASE, Rule, Severity

_SOURCE = "the schema of the target's own tool: clustergen/schemas"

CHANGES = Rule(
    code="OVL001",
    title="an overlay changes the rendered document",
    why="What an overlay changes is not checked by clustergen's own rules, so it is always said.",
    source="clustergen",
    severity=Severity.NOTE,
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
    good="targets: {parallelcluster: {}}",
)
UNKNOWN_KEY = Rule(
    code="OVL002",
    title="the target's document has no such key",
    why="ParallelCluster and CloudFormation refuse a document with a key that they do not know.",
    source=_SOURCE,
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailMonitoring: true}}}}",
    good="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
)
BAD_VALUE = Rule(
    code="OVL003",
    title="the target's document does not take this value",
    why="The service's own schema refuses it: another type, another word, or out of range.",
    source=_SOURCE,
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: 7}}}}",
    good="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
)
IDLE_DELETION = Rule(
    code="OVL004",
    title="an overlay deletes what is not there",
    why="`null` deletes a key. Where there is none, the overlay was meant for another place.",
    source="clustergen",
    bad=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Schedulin: null}}}",
    good="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
)
REQUIRED = Rule(
    code="OVL005",
    title="a key that the target's document needs is missing",
    why="The service refuses the document without it.",
    source=_SOURCE,
    bad=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Image: {Os: null}}}}",
    good=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Image: {Os: ubuntu2204}}}}",
)
UNCHECKED = Rule(
    code="OVL006",
    title="an overlay adds a resource that is not checked",
    why="Only the types of resources that clustergen itself emits have a schema here.",
    source="clustergen",
    severity=Severity.NOTE,
    target="pcs",
    bad="targets: {pcs: {overlay: {Resources: {Topic: {Type: 'AWS::SNS::Topic'}}}}}",
    good="targets: {pcs: {}}",
)
COMBINATION = Rule(
    code="OVL007",
    title="keys that do not go together",
    why="The service's own schema refuses the combination.",
    source=_SOURCE,
    bad="targets: {parallelcluster: {overlay: {SharedStorage: "
    "[{Name: more, MountDir: /more, StorageType: Ebs, EfsSettings: {Encrypted: true}}]}}}",
    good="targets: {parallelcluster: {overlay: {SharedStorage: "
    "[{Name: more, MountDir: /more, StorageType: Ebs, EbsSettings: {Encrypted: true}}]}}}",
)
DANGLING = Rule(
    code="OVL008",
    title="a reference to what the template does not have",
    why="CloudFormation refuses a template that refers to a resource or parameter outside it.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-ref.html",
    target="pcs",
    bad="targets: {pcs: {overlay: {Outputs: {Topic: {Value: {Ref: Topic}}}}}}",
    good="targets: {pcs: {overlay: {Outputs: {Region: {Value: {Ref: 'AWS::Region'}}}}}}",
)
RULES = (
    CHANGES,
    UNKNOWN_KEY,
    BAD_VALUE,
    IDLE_DELETION,
    REQUIRED,
    UNCHECKED,
    COMBINATION,
    DANGLING,
)
