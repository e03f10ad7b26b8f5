"""Stand-ins for the secrets in a configuration, before anything is made of it.

What is compared, written and reported later has never held a secret.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from clustergen.base import secrets
from clustergen.base.documents import leaves
from clustergen.base.findings import Finding, Path
from clustergen.base.secrets import Secret
from clustergen.importing.rules.decisions import SECRET
from clustergen.services.aws.template_text import function_name
from clustergen.spec.source.nodes import dotted

_HELP: Final = (
    "keep it in AWS Secrets Manager, and let nodes and jobs read it there: "
    "`aws secretsmanager get-secret-value --secret-id NAME --query SecretString`"
)
_SHORTEST: Final = 6
"""Of a secret that is one wherever it is; a shorter text is also a part of other words."""


class _Leaf(str):
    """A scalar's text, which knows the scalar."""

    __slots__ = ("node",)
    node: yaml.ScalarNode


def replaced(root: yaml.Node, known: Mapping[str, str]) -> Iterator[Secret]:
    """Put stand-ins in place of the secrets in ``root``, and of texts that are ``known`` as such.

    They are the result. Mappings keep their keys.
    """
    tree = _tree(root)
    places = dict(leaves(tree)) or {(): tree}  # a document may be one text
    for path, text, name in [*secrets.found(tree)]:
        leaf = places.get(path)
        if isinstance(leaf, _Leaf):
            _put(leaf.node, text, secrets.stand_in(name))
            yield Secret(path, text, name)
            if text not in leaf:  # the leaf has it in base64
                yield Secret(path, str(leaf), name)
    for leaf in [each for each in places.values() if isinstance(each, _Leaf)]:
        for text, word in known.items():
            whole = rf"(?<!\w){re.escape(text)}(?!\w)"
            if len(text) >= _SHORTEST or re.search(whole, leaf):
                _put(leaf.node, text, word)


def finding(path: Path, name: str, where: str = "") -> Finding:
    """What an import says about a secret."""
    looks = f"{where or dotted(path)} has what looks like a secret"
    message = f"{looks}; {secrets.stand_in(name)} is in its place"
    return SECRET.at(path, message, help=_HELP)


def _put(node: yaml.ScalarNode, text: str, word: str) -> None:
    if text in node.value:
        node.value = node.value.replace(text, word)
        node.tag = node.tag if node.tag.startswith("!") else "tag:yaml.org,2002:str"
    elif plain := secrets.decoded(node.value):
        encoded = plain.replace(text, word).encode()
        node.value = base64.b64encode(encoded).decode() if text in plain else node.value


def _tree(node: yaml.Node) -> Any:
    """The data in ``node``, with leaves that know where they are."""
    if isinstance(node, yaml.MappingNode):
        found: Any = {str(key.value): _tree(value) for key, value in node.value}
    elif isinstance(node, yaml.SequenceNode):
        found = [_tree(each) for each in node.value]
    else:
        found = _Leaf(node.value)
        found.node = node
    return {function_name(node.tag[1:]): found} if node.tag.startswith("!") else found
