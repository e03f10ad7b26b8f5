"""Rules about the template, for what its schema cannot express.

They run only on templates changed by an overlay; tests prove that other templates satisfy them.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from clustergen.base import findings
from clustergen.base.findings import Problem, Rule, Severity
from clustergen.targets.eks.template import Template

TemplateCheck = Callable[[Template], Iterable[Problem]]


def rule(code: str, title: str, **parts: Any) -> Callable[[TemplateCheck], Rule]:
    """:func:`clustergen.base.findings.rule` for EKS; the check gets a :class:`Template`."""

    def declare(check: TemplateCheck) -> Rule:
        declared = findings.rule(code, title, target="eks", **parts)
        return declared(lambda document: check(Template(document)))

    return declare


warning = functools.partial(rule, severity=Severity.WARNING)


def in_resources(changes: str) -> str:
    """An example overlay that changes resources."""
    return f"targets: {{eks: {{overlay: {{Resources: {{{changes}}}}}}}}}"


def in_cluster(properties: str) -> str:
    """An example overlay that changes the cluster."""
    return in_resources(f"Cluster: {{Properties: {{{properties}}}}}")


def in_network(settings: str) -> str:
    """An example overlay that changes the cluster's network."""
    return in_cluster(f"ResourcesVpcConfig: {{{settings}}}")


def in_node_group(properties: str) -> str:
    """An example overlay that changes the node group h200."""
    return in_resources(f"NodeGroupH200: {{Properties: {{{properties}}}}}")


def in_launch_template(data: str) -> str:
    """An example overlay that changes the launch template of the node group h200."""
    changes = f"Properties: {{LaunchTemplateData: {{{data}}}}}"
    return in_resources(f"NodeGroupH200LaunchTemplate: {{{changes}}}")
