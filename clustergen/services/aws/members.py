"""Omitting members of an object, where an absent member means the service's default."""

from typing import Any


def present(**members: Any) -> dict[str, Any]:
    """The members that are not None; an empty structure stays, because it has a meaning."""
    return {name: value for name, value in members.items() if value is not None}


def filled(**members: Any) -> dict[str, Any]:
    """The members with content, without None and empty structures."""
    return {name: value for name, value in members.items() if value not in (None, {}, [], ())}
