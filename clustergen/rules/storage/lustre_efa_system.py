"""FSX008: operating systems whose Lustre client has no EFA."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import of

RULE = Rule(
    code="FSX008",
    title="No EFA in the Lustre client of the operating system",
    why="The Lustre client speaks EFA on Amazon Linux 2023, on RHEL 9.5 and later, and on Ubuntu "
    "22.04 and later with kernel 6.8; elsewhere it uses TCP.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    severity=Severity.WARNING,
    bad="""software: {os: rhel8}
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: true}]""",
    good="""software: {os: rhel9}
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: true}]""",
)

# Rocky Linux 9 has the client and kernels of RHEL 9:
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/lustre-client-matrix.html (2026-08)
_WITH_EFA = ("alinux2023", "rhel9", "rocky9", "ubuntu2204", "ubuntu2404")


def check(plan: Plan) -> Iterator[Finding]:
    served = next((item for item in of(plan, Lustre) if item.efa), None)
    if served and plan.software.os not in _WITH_EFA:
        yield RULE.at(
            ("software", "os"),
            f"nodes with {plan.software.os} reach {served.mount} over TCP, not over EFA",
            help=f"one of {', '.join(_WITH_EFA)}",
        )
