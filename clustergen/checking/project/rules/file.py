"""Problems of a project file."""

from functools import partial

from clustergen.base.findings import Rule, Severity

common_rule = partial(Rule, source="docs/project.md")

UNREADABLE = common_rule(
    code="PRJ001",
    title="The project file is not TOML",
    why="Without it, clustergen does not know the clusters of the project.",
    source="https://toml.io/en/v1.0.0",
    could_not=True,
)
UNKNOWN = common_rule(
    code="PRJ002",
    title="Unknown key in the project file",
    fixes="safe",
    why="A misspelled setting would have no effect, and nobody would notice.",
    could_not=True,
)
WRONG = common_rule(
    code="PRJ003",
    title="Wrong value in the project file",
    why="clustergen cannot guess what was meant.",
    could_not=True,
)
UNUSED = common_rule(
    code="PRJ004",
    title="An ignored code without a finding",
    fixes="safe",
    why="It would hide the next finding with this code, which nobody has reviewed.",
    severity=Severity.WARNING,
)
TYPES = common_rule(
    code="PRJ011",
    title="Instance types that cannot be read",
    why="A file of `catalog.files` has the form in which EC2 describes instance types.",
    could_not=True,
)
OUTSIDE = common_rule(
    code="PRJ010",
    title="The output folder is outside the project",
    why="A project file may come from a cloned repository, so it cannot make `render` write "
    "elsewhere on this machine. Only `-o` can.",
)
