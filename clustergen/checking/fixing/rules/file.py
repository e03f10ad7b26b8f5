"""Files that cannot be fixed."""

from clustergen.base.findings import own_rule

NOT_WRITTEN = own_rule(
    code="SPC057",
    title="A file cannot be fixed",
    why="`check --fix` replaces a file as a whole, or leaves it as it is.",
    could_not=True,
)
