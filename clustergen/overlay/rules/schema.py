"""Violations of the document's schema."""

from clustergen.base.findings import EXAMPLE_BASE, Rule

_SOURCE = "the schema of the target's own tool: clustergen/facts/schemas"

UNKNOWN_KEY = Rule(
    code="OVL002",
    title="Unknown key in the target's document",
    fixes="safe",
    why="ParallelCluster and CloudFormation reject documents with unknown keys.",
    source=_SOURCE,
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailMonitoring: true}}}}",
    good="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
)
BAD_VALUE = Rule(
    code="OVL003",
    title="Invalid value in the target's document",
    why="The service's schema rejects it: wrong type, unknown word, or out of range.",
    source=_SOURCE,
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: 7}}}}",
    good="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
)
REQUIRED = Rule(
    code="OVL005",
    title="Required key missing from the target's document",
    why="The service rejects the document without it.",
    source=_SOURCE,
    bad=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Image: {Os: null}}}}",
    good=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Image: {Os: ubuntu2204}}}}",
)
COMBINATION = Rule(
    code="OVL007",
    title="Keys that cannot be combined",
    why="The service's schema rejects the combination.",
    source=_SOURCE,
    bad="targets: {parallelcluster: {overlay: {SharedStorage: "
    "[{Name: more, MountDir: /more, StorageType: Ebs, EfsSettings: {Encrypted: true}}]}}}",
    good="targets: {parallelcluster: {overlay: {SharedStorage: "
    "[{Name: more, MountDir: /more, StorageType: Ebs, EbsSettings: {Encrypted: true}}]}}}",
)
