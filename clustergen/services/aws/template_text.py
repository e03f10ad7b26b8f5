"""The text of CloudFormation templates, as data."""

import json
from typing import Any, Final

import yaml


def parsed(text: str) -> Any:
    """The data in a template: JSON, or YAML with short forms of functions.

    :raises ValueError: if it is neither.
    """
    try:
        return json.loads(text)
    except ValueError:
        pass
    loader = Literal(text)
    try:
        return loader.get_single_data()
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    finally:
        loader.dispose()


_TEXT: Final = "tag:yaml.org,2002:str"
_PLAIN: Final = {f"tag:yaml.org,2002:{each}" for each in ("bool", "float", "int")}


class Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with the short forms of CloudFormation's functions.

    Keys are text, as in the JSON that the services get.
    """

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        node = super().compose_node(parent, index)
        is_key = index is None and isinstance(parent, yaml.MappingNode)
        if is_key and node and node.tag in _PLAIN:
            # Not the node itself: an alias may repeat it as a value.
            return yaml.ScalarNode(_TEXT, node.value, node.start_mark, node.end_mark)
        return node


def _function(loader: Loader, suffix: str, node: yaml.Node) -> Any:
    """``!Sub text`` is ``{Fn::Sub: text}``."""
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {function_name(suffix): value}


def function_name(suffix: str) -> str:
    """The name of a function by its short form."""
    return suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}"


Loader.add_multi_constructor("!", _function)
# Dates stay text, as in the JSON that the services get.
Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda _loader, node: node.value)


class Literal(Loader):
    """The same, with decimal numbers as they are written."""


def _decimal(loader: Literal, node: yaml.ScalarNode) -> Any:
    """A number, or its text where the number would be written in another way, as in 25.10."""
    number = loader.construct_yaml_float(node)
    return number if str(number) == node.value else node.value


Literal.add_constructor("tag:yaml.org,2002:float", _decimal)
