"""Problems of a project file."""

from __future__ import annotations

from clustergen.findings import Rule, Severity

_DOCS = "docs/project.md"

UNREADABLE = Rule(
    code="PRJ001",
    title="The project file is not TOML",
    why="Without it, clustergen does not know the clusters of the project.",
    source="https://toml.io/en/v1.0.0",
    could_not=True,
)
UNKNOWN = Rule(
    code="PRJ002",
    title="Unknown key in the project file",
    fixes="safe",
    why="A misspelled setting would have no effect, and nobody would notice.",
    source=_DOCS,
    could_not=True,
)
WRONG = Rule(
    code="PRJ003",
    title="Wrong value in the project file",
    why="clustergen cannot guess what was meant.",
    source=_DOCS,
    could_not=True,
)
UNUSED = Rule(
    code="PRJ004",
    title="An ignored code without a finding",
    fixes="safe",
    why="It would hide the next finding with this code, which nobody has reviewed.",
    source=_DOCS,
    severity=Severity.WARNING,
)
