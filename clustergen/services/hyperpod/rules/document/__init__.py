"""Rules about the request, for what its schema cannot express.

They run only on requests changed by an overlay; tests prove that other requests satisfy them.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from clustergen.base import findings
from clustergen.base.findings import Problem, Rule, Severity
from clustergen.services.hyperpod.document import Document

DocumentCheck = Callable[[Document], Iterable[Problem]]

SLURM, EKS = "hyperpod-slurm", "hyperpod-eks"


def rule(
    code: str, title: str, *, target: str = SLURM, **parts: Any
) -> Callable[[DocumentCheck], Rule]:
    """:func:`clustergen.base.findings.rule` for HyperPod; the check gets a :class:`Document`.

    ``target`` is the target of the examples; the rule applies to both targets.
    """

    def declare(check: DocumentCheck) -> Rule:
        declared = findings.rule(code, title, target=target, **parts)
        return declared(lambda document: check(Document(document)))

    return declare


warning = functools.partial(rule, severity=Severity.WARNING)


def in_request(members: str, target: str = SLURM) -> str:
    """An example overlay that changes the request."""
    return f"targets: {{{target}: {{overlay: {{{members}}}}}}}"


def in_legacy_request(members: str) -> str:
    """An example overlay that changes the request of a cluster with ``mode: legacy``."""
    return f"targets: {{{SLURM}: {{mode: legacy, overlay: {{{members}}}}}}}"


def in_group(members: str, target: str = SLURM) -> str:
    """An example overlay that changes the group h200."""
    return in_request(groups(members), target)


def groups(members: str, name: str = "h200") -> str:
    """A change of one group, for an overlay that also changes other members."""
    return f"InstanceGroups: [{{InstanceGroupName: {name}, {members}}}]"
