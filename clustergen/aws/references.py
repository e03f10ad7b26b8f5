"""Ids as text, with placeholders for those that exist once the foundation is deployed."""

from __future__ import annotations

from clustergen.plan.model import Id, Ref


def text(id: Id | None) -> str:
    """A literal id as it is, a reference as the placeholder of its output: ``${VpcId}``.

    Without an id the text is empty; a plan that lacks one has errors.
    """
    return placeholder(id.name) if isinstance(id, Ref) else id or ""


def placeholder(name: str) -> str:
    """The placeholder in documents for the output called ``name``."""
    return f"${{{name}}}"
