"""Violations of the document's schema."""

from functools import partial

from clustergen.base.findings import EXAMPLE_BASE, Rule

common_rule = partial(Rule, source="the schema of the target's own tool: clustergen/facts/schemas")

UNKNOWN_KEY = common_rule(
    code="OVL002",
    title="Unknown key in the target's document",
    why="ParallelCluster and CloudFormation reject documents with unknown keys.",
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailMonitoring: true}}}}",
)
BAD_VALUE = common_rule(
    code="OVL003",
    title="Invalid value in the target's document",
    why="The service's schema rejects it: wrong type, unknown word, or out of range.",
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: 7}}}}",
    good="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
)
REQUIRED = common_rule(
    code="OVL005",
    title="Required key missing from the target's document",
    why="The service rejects the document without it.",
    bad=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Image: {Os: null}}}}",
    good=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Image: {Os: ubuntu2204}}}}",
)
COMBINATION = common_rule(
    code="OVL007",
    title="Keys that cannot be combined",
    why="The service's schema rejects the combination.",
    bad="targets: {parallelcluster: {overlay: {SharedStorage: "
    "[{Name: more, MountDir: /more, StorageType: Ebs, EfsSettings: {Encrypted: true}}]}}}",
    good="targets: {parallelcluster: {overlay: {SharedStorage: "
    "[{Name: more, MountDir: /more, StorageType: Ebs, EbsSettings: {Encrypted: true}}]}}}",
)
