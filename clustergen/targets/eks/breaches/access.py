"""Who may do what: access entries, and roles of pods.

botocore 1.44.5 eks CreateAccessEntry, AccessScope;
https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html (2026-11-20)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import (
    Json,
    Resource,
    Template,
    a_list,
    a_map,
    maps,
    referred,
)

_OF_NODES = ("EC2_LINUX", "EC2_WINDOWS")
_PODS = "pods.eks.amazonaws.com"
_POD_ACTIONS = frozenset({"sts:AssumeRole", "sts:TagSession"})


def breaches(template: Template) -> Iterator[Breach]:
    """Entries that EKS refuses, and pods that would get no credentials."""
    seen: list[Any] = []
    for entry in template.of("AWS::EKS::AccessEntry"):
        principal = entry.properties.get("PrincipalArn")
        if principal in seen:
            yield entry.breach(
                "access", ("PrincipalArn",), "a second entry for one principal", "keep one"
            )
        seen.append(principal)
        yield from _entry(entry)
    for resource, association in _associations(template):
        yield from _role(template, resource, association)


def _entry(entry: Resource) -> Iterator[Breach]:
    kind = entry.properties.get("Type", "STANDARD")
    for member in ("AccessPolicies", "KubernetesGroups"):
        if kind in _OF_NODES and entry.properties.get(member):
            yield entry.breach(
                "access", (member,), f"{member} in an entry of type {kind}", "leave them out"
            )
    for index, policy in enumerate(maps(entry.properties.get("AccessPolicies"))):
        scope = a_map(policy.get("AccessScope"))
        if scope.get("Type") == "namespace" and not scope.get("Namespaces"):
            yield entry.breach(
                "access",
                ("AccessPolicies", index),
                "a policy for namespaces that names none",
                "add Namespaces, or write Type: cluster",
            )


def _associations(template: Template) -> Iterator[tuple[Resource, Json]]:
    for resource in template.of("AWS::EKS::PodIdentityAssociation"):
        yield resource, resource.properties
    for addon in template.of("AWS::EKS::Addon"):
        for association in maps(addon.properties.get("PodIdentityAssociations")):
            yield addon, association


def _role(template: Template, resource: Resource, association: Json) -> Iterator[Breach]:
    agents = [a.properties.get("AddonName") for a in template.of("AWS::EKS::Addon")]
    if "eks-pod-identity-agent" not in agents:
        yield resource.breach(
            "access",
            (),
            "a role for pods without the agent that hands it out",
            "keep the add-on eks-pod-identity-agent",
        )
    name = referred(association.get("RoleArn"))
    roles = {role.id: role for role in template.of("AWS::IAM::Role")}
    if name in roles and not _trusts_pods(roles[name].properties):
        yield roles[name].breach(
            "access",
            ("AssumeRolePolicyDocument",),
            "a role of pods that pods may not take",
            f"let {_PODS} do {' and '.join(sorted(_POD_ACTIONS))}",
        )


def _trusts_pods(role: Json) -> bool:
    allowed: set[str] = set()
    for statement in maps(a_map(role.get("AssumeRolePolicyDocument")).get("Statement")):
        service = a_map(statement.get("Principal")).get("Service")
        if service == _PODS or _PODS in a_list(service):
            actions = statement.get("Action")
            allowed |= {actions} if isinstance(actions, str) else set(map(str, a_list(actions)))
    return allowed >= _POD_ACTIONS
