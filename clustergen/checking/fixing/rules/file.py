"""Files that cannot be fixed."""

from clustergen.base.findings import Rule

NOT_WRITTEN = Rule(
    code="SPC057",
    title="A file cannot be fixed",
    why="`check --fix` replaces a file as a whole, or leaves it as it is.",
    source="clustergen",
    could_not=True,
)
