"""What the compiler finds in a spec fragment, laid over the example spec."""

from clustergen.base.findings import Finding
from tests.support.checking import Fragments

NEUTRAL = Fragments("")
planned, validated, codes = NEUTRAL.faulty_plan, NEUTRAL.findings, NEUTRAL.codes


def lustre(fields: str) -> str:
    """A fragment with one Lustre file system."""
    return f"storage: [{{mount: /fsx, type: fsx-lustre, {fields}}}]"


def only(fragment: str) -> Finding:
    """The one finding that there must be."""
    (finding,) = validated(fragment)
    return finding
