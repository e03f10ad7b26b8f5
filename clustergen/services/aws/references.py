"""Ids as text, with placeholders for ids that the foundation creates."""

from clustergen.plan.model import Id, Ref


def text(id: Id | None) -> str:
    """A literal id unchanged; a reference as the placeholder of its output: ``${VpcId}``.

    Empty without an id; such a plan has errors.
    """
    return placeholder(id.name) if isinstance(id, Ref) else id or ""


def placeholder(name: str) -> str:
    """The placeholder in documents for the output called ``name``."""
    return f"${{{name}}}"
