"""YAML text that cannot be parsed, or is ambiguous."""

from clustergen.base.findings import EXAMPLE_BASE, Rule, own_rule
from clustergen.spec.source import limits

_BEGIN = "version: 1\nname: example\n"

SYNTAX = Rule(
    code="SPC002",
    title="The text is not YAML",
    fixes="safe or unsafe",
    why="No other check can run on text that does not parse.",
    source="https://yaml.org/spec/1.2.2/",
    bad=EXAMPLE_BASE + "tags: {team: research\n",
    good=EXAMPLE_BASE + "tags: {team: research}\n",
)
DUPLICATE_KEY = Rule(
    code="SPC003",
    title="The same key twice in one mapping",
    why="YAML parsers silently keep one of the two values; the standard requires unique keys.",
    source="https://yaml.org/spec/1.2.2/#3213-node-comparison",
    bad=_BEGIN + "region: us-east-1\nregion: us-west-2\n",
    good=_BEGIN + "region: us-east-1\n",
)
MERGE_KEY = Rule(
    code="SPC004",
    title="Merge key <<",
    why="Merge keys never became part of YAML 1.2, and parsers differ on them. "
    "Several files merge with -f instead.",
    source="https://yaml.org/type/merge.html",
    bad=_BEGIN + "head_node: &small {instance_type: m7i.xlarge}\nlogin: {<<: *small, count: 2}\n",
    good=_BEGIN
    + "head_node: {instance_type: m7i.xlarge}\nlogin: {instance_type: m7i.xlarge, count: 2}\n",
)
ALIAS = Rule(
    code="SPC005",
    title="An alias that is unknown, contains itself or grows without bound",
    why="A few lines of nested aliases can expand to more data than fits in memory.",
    source="https://yaml.org/spec/1.2.2/#71-alias-nodes",
    bad=_BEGIN + "head_node: *small\n",
    good=_BEGIN + "login: &small {instance_type: m7i.xlarge}\nhead_node: *small\n",
)
TOO_DEEP = own_rule(
    code="SPC007",
    title="Nested too deeply",
    why=f"No field of a spec or of an overlay lies deeper than {limits.DEPTH} levels.",
    bad=_BEGIN + f"tags: {'[' * (limits.DEPTH + 1)}{']' * (limits.DEPTH + 1)}\n",
    good=_BEGIN + "tags: {}\n",
)
SEVERAL_DOCUMENTS = Rule(
    code="SPC008",
    title="Several documents in one file",
    why="One file is one spec; otherwise the part after '---' would be lost.",
    source="https://yaml.org/spec/1.2.2/#92-streams",
    bad=_BEGIN + "---\n" + _BEGIN,
    good=_BEGIN,
)
TAG = Rule(
    code="SPC009",
    title="A YAML tag",
    why="A spec is plain data: text, numbers, lists and mappings. Tags make parsers create other "
    "types, or call functions.",
    source="https://yaml.org/spec/1.2.2/#691-node-tags",
    bad=_BEGIN + "region: !Ref AWS::Region\n",
    good=_BEGIN + "region: us-east-1\n",
)
KEY = Rule(
    code="SPC010",
    title="A key that is not text",
    why="Every key of a spec is a name. Unquoted numbers and true, false and null are not text.",
    source="https://yaml.org/spec/1.2.2/#103-core-schema",
    bad=_BEGIN + "tags: {2026: budget}\n",
    good=_BEGIN + 'tags: {"2026": budget}\n',
)
CHARACTER = Rule(
    code="SPC013",
    title="An invisible or control character",
    why="Characters that control a terminal, or that make a line look different from how it is "
    "parsed, do not belong in a spec under review.",
    source="https://yaml.org/spec/1.2.2/#51-character-set",
    bad=EXAMPLE_BASE + 'tags: {team: "research\\u202e"}\n',
    good=EXAMPLE_BASE + "tags: {team: research}\n",
)
