"""The form of sections."""

from clustergen.base.findings import EXAMPLE_BASE, Rule

LANGUAGE = "the language, version 1"

OTHER_TOOL = Rule(
    code="SPC026",
    title="The file is the configuration of another tool",
    why="`clustergen import` turns such a file into a spec, and proves that it means the same.",
    source=LANGUAGE,
    bad="HeadNode: {InstanceType: m7i.xlarge}\nScheduling: {Scheduler: slurm}",
    good="head_node: {instance_type: m7i.xlarge}",
    fatal=True,
)
UNKNOWN_KEY = Rule(
    code="SPC020",
    title="Unknown key",
    fixes="safe or unsafe",
    why="An unknown key would be a setting that silently never takes effect.",
    source=LANGUAGE,
    bad="network: {zones: use1-az6}",
    good="network: {zone: use1-az6}",
)
MISSING = Rule(
    code="SPC021",
    title="Missing key",
    why="The section has no meaning without it, and no default would be right for everybody.",
    source=LANGUAGE,
    bad=EXAMPLE_BASE.replace("version: 1\n", ""),
    good=EXAMPLE_BASE,
)
TYPE = Rule(
    code="SPC022",
    title="Wrong type of value",
    fixes="safe or unsafe",
    why="A list in place of a word, or a word in place of a number, is a mistake.",
    source=LANGUAGE,
    bad="login: {instance_type: m7i.xlarge, count: two}",
)
OPTION = Rule(
    code="SPC023",
    title="Value is not one of the options",
    fixes="safe or unsafe",
    why="The field takes one of a few words.",
    source=LANGUAGE,
    bad="software: {os: ubuntu2004}",
)
VALUE = Rule(
    code="SPC024",
    title="Invalid format or value out of range",
    fixes="safe or unsafe",
    why="The services check the form of ids, quantities, addresses and numbers too, but later.",
    source=LANGUAGE,
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800, throughput: 250}]",
)
