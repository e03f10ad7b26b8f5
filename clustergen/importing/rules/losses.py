"""What an import could not carry."""

from clustergen.base.findings import own_rule

LOST = own_rule(
    code="IMP010",
    title="The imported spec does not mean the same as the original",
    why="The import renders the spec that it wrote, and compares the result with the original in "
    "the service's own terms. They differ here.",
)
UNREADABLE = own_rule(
    code="IMP012",
    title="A part of the original that cannot be read",
    why="It has another form than the service documents, or stands twice.",
)
NOT_RENDERED = own_rule(
    code="IMP011",
    title="The imported spec cannot be rendered",
    why="A value of the original has no meaning in a spec, so the import cannot tell what else the "
    "spec would have to say.",
)
