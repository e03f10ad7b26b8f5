"""Parameters of the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.findings import Problem, Severity
from clustergen.overlay.parts import as_map
from clustergen.targets.pcs.rules.document import rule

_OVERLAY = "targets: {{pcs: {{overlay: {{Parameters: {{Contact: {{Type: String{}}}}}}}}}}}"


@rule(
    "OVL202",
    "Parameter without a value",
    why="`deploy.sh` passes the outputs of the foundation and nothing else. CloudFormation rejects "
    "a stack that has a parameter without a value.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "parameters-section-structure.html",
    severity=Severity.WARNING,
    bad=_OVERLAY.format(""),
    good=_OVERLAY.format(", Default: me@example.com"),
)
def without_value(document: Mapping[str, Any]) -> Iterator[Problem]:
    for name, parameter in as_map(document.get("Parameters")).items():
        if "Default" not in as_map(parameter):
            yield Problem(
                ("Parameters", name),
                f"the parameter {name} has no value",
                help="give it a Default, unless the foundation has an output of this name",
            )
