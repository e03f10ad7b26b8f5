"""Output folders: obstacles to writing a bundle, and differences from its spec."""

from clustergen.base.findings import Severity, own_rule

EDITED = own_rule(
    code="BND001",
    title="A rendered file was edited by hand",
    why="Rendering again would lose the change. Lasting changes belong in the spec, or in the "
    "target's overlay.",
)
NOT_OURS = own_rule(
    code="BND002",
    title="Folder not written by clustergen",
    why="A folder without clustergen's manifest was not written by clustergen, and is left alone.",
)
NOT_A_FOLDER = own_rule(
    code="BND003",
    title="Output path is a file or a link",
    why="A bundle replaces its folder as a whole; it cannot replace a file or a link to elsewhere.",
)
IN_THE_WAY = own_rule(
    code="BND004",
    title="A rendered file would overwrite a file of yours",
    why="Only files that clustergen wrote may be replaced, and none through a link.",
)
NOT_WRITTEN = own_rule(
    code="BND005",
    title="The folder cannot be written or read",
    why="The operating system denied access. A bundle is written completely or not at all.",
    could_not=True,
)
BAD_PATH = own_rule(
    code="BND006",
    title="A rendered file's path is not inside its folder",
    why="Names from a spec become file names; none may lead out of the folder or collide with "
    "another.",
)
BAD_MANIFEST = own_rule(
    code="BND007",
    title="The manifest cannot be read",
    why="Without it, clustergen cannot tell which files of the folder were edited by hand.",
)
SAME_NAME = own_rule(
    code="BND010",
    title="Two specs with the same name",
    why="A bundle's folder is named after the cluster; the second would replace the first.",
)
MISSING = own_rule(
    code="BND011",
    title="A rendered file is missing",
    why="`render --check` compares a folder with what its spec renders to.",
)
DIFFERS = own_rule(
    code="BND012",
    title="A file differs from what the spec renders to",
    why=MISSING.why,
)
SUPERFLUOUS = own_rule(
    code="BND013",
    title="A file that the spec no longer renders to",
    why=MISSING.why,
)
MODE = own_rule(
    code="BND014",
    title="A file's executable bit is wrong",
    why="Scripts are started by their path; documents must not be.",
)
EVERY_SERVICE = own_rule(
    code="BND030",
    title="A foundation for every service",
    why="A spec whose targets neither it nor the project file names may be rendered for any, and "
    "its bundles share one foundation: it has the roles, subnets and endpoints of all services.",
    source="docs/how-to/several-clusters.md",
    severity=Severity.WARNING,
)
OTHER_BUNDLE = own_rule(
    code="BND031",
    title="The foundation no longer has what this bundle needs",
    why="Deploying a foundation removes what it no longer has, such as the roles of a cluster that "
    "still runs from another bundle of the same spec.",
    source="docs/how-to/several-clusters.md",
    severity=Severity.WARNING,
)
