"""What can be said of an output folder: BND001 to BND014."""

from __future__ import annotations

from typing import Final

from clustergen.findings import Rule

EDITED = Rule(
    code="BND001",
    title="a rendered file was changed by a person",
    why="Rendering again would lose the change. What should last belongs in the spec, or in the "
    "target's overlay.",
    source="clustergen",
)
NOT_OURS = Rule(
    code="BND002",
    title="the folder holds other files",
    why="A folder without clustergen's manifest was not written by clustergen, and is left alone.",
    source="clustergen",
)
NOT_A_FOLDER = Rule(
    code="BND003",
    title="the output folder is something else",
    why="A bundle replaces its folder as a whole; a file, or a link to elsewhere, cannot be.",
    source="clustergen",
)
IN_THE_WAY = Rule(
    code="BND004",
    title="something of the user's stands where a rendered file goes",
    why="Only files that clustergen wrote may be replaced.",
    source="clustergen",
)
NOT_WRITTEN = Rule(
    code="BND005",
    title="the folder cannot be written or read",
    why="The operating system refused. A bundle is written whole or not at all.",
    source="clustergen",
)
BAD_PATH = Rule(
    code="BND006",
    title="a rendered file's path is not inside its folder",
    why="Names from a spec become file names; none may lead out of the folder or meet another.",
    source="clustergen",
)
BAD_MANIFEST = Rule(
    code="BND007",
    title="the manifest cannot be read",
    why="Without it nobody can tell which files of the folder a person changed.",
    source="clustergen",
)
MISSING = Rule(
    code="BND011",
    title="a rendered file is missing",
    why="`render --check` says whether a folder is what its spec renders to.",
    source="clustergen",
)
DIFFERS = Rule(
    code="BND012",
    title="a file differs from what the spec renders to",
    why=MISSING.why,
    source="clustergen",
)
SUPERFLUOUS = Rule(
    code="BND013",
    title="a file that the spec no longer renders to",
    why=MISSING.why,
    source="clustergen",
)
MODE = Rule(
    code="BND014",
    title="a file's executable bit is wrong",
    why="Scripts are started by their path; documents must not be.",
    source="clustergen",
)

RULES: Final[tuple[Rule, ...]] = (
    EDITED,
    NOT_OURS,
    NOT_A_FOLDER,
    IN_THE_WAY,
    NOT_WRITTEN,
    BAD_PATH,
    BAD_MANIFEST,
    MISSING,
    DIFFERS,
    SUPERFLUOUS,
    MODE,
)
