"""What ``data.json`` knows: actions for types, what they apply to, AWS's managed policies."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path

_FILE = Path(__file__).with_name("data.json")


@functools.cache
def _data() -> Mapping[str, Mapping[str, str]]:
    data: Mapping[str, Mapping[str, str]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return data


def of_type(type: str) -> list[str]:
    """What CloudFormation calls to create, read, update and delete a resource of this type."""
    return _data()["types"].get(type, "").split()


def deleting(type: str) -> list[str]:
    """What deletes one, or ends it, and of which IAM can tell by its tags whose it is."""
    return _data()["deletes"].get(type, "").split()


def kinds(action: str) -> list[str]:
    """The kinds of resources with names that an action applies to, each with its service."""
    found = _data()["kinds"].get(action, "").split()
    return [f"{action.partition(':')[0]}:{kind}" for kind in found]


def managed(policy: str) -> list[str] | None:
    """What a managed policy of AWS allows; None if it is not known."""
    found = _data()["managed"].get(policy)
    return None if found is None else found.split()
