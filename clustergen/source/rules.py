"""The rules a text must keep before it is a spec: SPC001 to SPC013."""

from __future__ import annotations

from typing import Final

from clustergen.findings import Rule

SIZE_LIMIT: Final = 1024 * 1024
"""Bytes of one file. A spec is a few kilobytes: what is larger is not a spec."""
DEPTH_LIMIT: Final = 60
"""Levels of nesting. The language has about ten; an overlay of CloudFormation adds about twenty."""
NODE_LIMIT: Final = 50_000
"""Values in one text, aliases expanded: over a thousand node groups."""

_BEGIN = "version: 1\nname: example\n"

UNREADABLE = Rule(
    code="SPC001",
    title="The file cannot be read",
    why="A spec is a file of UTF-8 text that the user who runs clustergen may read.",
    source="clustergen",
)
SYNTAX = Rule(
    code="SPC002",
    title="The text is not YAML",
    why="Text that does not parse has no meaning, and no later check can look at it.",
    source="https://yaml.org/spec/1.2.2/",
    bad=_BEGIN + "tags: {team: research\n",
    good=_BEGIN + "tags: {team: research}\n",
)
DUPLICATE_KEY = Rule(
    code="SPC003",
    title="The same key twice in one mapping",
    why="YAML parsers keep one of the two values without a word; keys are unique by its standard.",
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
    why="A few lines of nested aliases stand for more data than any computer can hold.",
    source="https://yaml.org/spec/1.2.2/#71-alias-nodes",
    bad=_BEGIN + "head_node: *small\n",
    good=_BEGIN + "login: &small {instance_type: m7i.xlarge}\nhead_node: *small\n",
)
TOO_LARGE = Rule(
    code="SPC006",
    title="The file is too large to be a spec",
    why=f"A file over {SIZE_LIMIT // 1024} KiB, or with more than {NODE_LIMIT} values, "
    "is a mistaken file name far more often than a cluster.",
    source="clustergen",
)
TOO_DEEP = Rule(
    code="SPC007",
    title="Nested too deeply",
    why=f"No field of a spec or of an overlay lies deeper than {DEPTH_LIMIT} levels.",
    source="clustergen",
    bad=_BEGIN + f"tags: {'[' * (DEPTH_LIMIT + 1)}{']' * (DEPTH_LIMIT + 1)}\n",
    good=_BEGIN + "tags: {}\n",
)
SEVERAL_DOCUMENTS = Rule(
    code="SPC008",
    title="Several documents in one file",
    why="One file is one spec; the part after '---' would otherwise be lost.",
    source="https://yaml.org/spec/1.2.2/#92-streams",
    bad=_BEGIN + "---\n" + _BEGIN,
    good=_BEGIN,
)
TAG = Rule(
    code="SPC009",
    title="A YAML tag",
    why="A spec is plain data: text, numbers, lists and mappings. Tags ask the reader of the file "
    "for other types, or for calls.",
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
NOT_A_MAPPING = Rule(
    code="SPC011",
    title="The file does not hold `key: value` pairs",
    why="A spec is a mapping with at least version, name, region, network and node_groups.",
    source="clustergen",
    bad="- version: 1\n",
    good="version: 1\n",
)
SET = Rule(
    code="SPC012",
    title="A --set that cannot be followed",
    why="--set PATH=VALUE changes one value. A path that leads nowhere is a typing error, "
    "and would change nothing.",
    source="clustergen",
)
CHARACTER = Rule(
    code="SPC013",
    title="An invisible or control character",
    why="Characters that steer a terminal, or that make a line read otherwise than it is parsed, "
    "have no place in a spec that people review.",
    source="https://yaml.org/spec/1.2.2/#51-character-set",
    bad=_BEGIN + 'tags: {team: "research\\e[2J"}\n',
    good=_BEGIN + "tags: {team: research}\n",
)

RULES: Final[tuple[Rule, ...]] = (
    UNREADABLE,
    SYNTAX,
    DUPLICATE_KEY,
    MERGE_KEY,
    ALIAS,
    TOO_LARGE,
    TOO_DEEP,
    SEVERAL_DOCUMENTS,
    TAG,
    KEY,
    NOT_A_MAPPING,
    SET,
    CHARACTER,
)
