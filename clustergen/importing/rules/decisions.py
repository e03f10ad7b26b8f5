"""What an import decided, left out, or could not know."""

from clustergen.base.findings import Severity, own_rule

DECIDED = own_rule(
    code="IMP001",
    title="An import wrote something in another way",
    why="The spec means the same as the original; the note says how it is written now.",
    severity=Severity.NOTE,
)
TO_FILL_IN = own_rule(
    code="IMP002",
    title="The original does not say something that the spec needs",
    why="A stand-in is in its place, with a comment. `check` refuses it until you write the value.",
    severity=Severity.WARNING,
)
DROPPED = own_rule(
    code="IMP003",
    title="An import left something out",
    why="It describes the state of a cluster, or the service ignores it.",
    severity=Severity.NOTE,
)
REWRITTEN = own_rule(
    code="IMP004",
    title="An import rewrote something of an older version",
    why="The version of the service that clustergen renders for no longer accepts it.",
    severity=Severity.WARNING,
)
IN_OVERLAY = own_rule(
    code="IMP005",
    title="A part of the original is in the overlay",
    why="No field of the spec covers it, or clustergen would add something that the original does "
    "not have. Rules for the spec do not see the overlay.",
    severity=Severity.NOTE,
)
SECRET = own_rule(
    code="IMP007",
    title="An import does not copy a secret",
    why="Specs and bundles are committed, and many users can read user data. A stand-in is in the "
    "place of the secret, so the spec does not mean the same as the original.",
    source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/best-practices.html",
    severity=Severity.WARNING,
)
WITHOUT = own_rule(
    code="IMP006",
    title="The spec of an adopted cluster leaves out a field that a rule rejects",
    why="The cluster runs with the value. The overlay has it, if it is a part of the service's "
    "document.",
    severity=Severity.WARNING,
)
