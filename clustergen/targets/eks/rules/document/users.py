"""Access to the cluster: access entries, and IAM roles of pods."""

from collections.abc import Iterator
from typing import Any

from clustergen.base.findings import Problem
from clustergen.overlay.parts import Json, as_list, as_map, maps
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_cluster, in_resources, rule
from clustergen.targets.eks.template import Resource, Template, referred

_POD_ROLES = "https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html"
_NODE_TYPES = ("EC2_LINUX", "EC2_WINDOWS")
_AGENT = "eks-pod-identity-agent"
_PODS = "pods.eks.amazonaws.com"
_POD_ACTIONS = frozenset({"sts:AssumeRole", "sts:TagSession"})


def _entry(properties: str, name: str = "Team") -> str:
    given = f"ClusterName: {{Ref: Cluster}}, {properties}"
    return f"{name}: {{Type: 'AWS::EKS::AccessEntry', Properties: {{{given}}}}}"


def _trust(actions: str) -> str:
    statement = f"{{Effect: Allow, Principal: {{Service: {_PODS}}}, Action: {actions}}}"
    return f"{{Properties: {{AssumeRolePolicyDocument: {{Statement: [{statement}]}}}}}}"


_TEAM = "PrincipalArn: 'arn:aws:iam::111122223333:role/team'"
_OTHER = "PrincipalArn: 'arn:aws:iam::111122223333:role/other'"
_VIEW = "PolicyArn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy'"


@rule(
    "OVL509",
    "Permissions in the access entry of nodes",
    why="EKS grants nodes their permissions, and rejects policies and groups in their entry.",
    source=f"{limits.API}CreateAccessEntry.html",
    bad=in_resources(_entry(f"{_TEAM}, Type: EC2_LINUX, KubernetesGroups: [admins]")),
    good=in_resources(_entry(f"{_TEAM}, KubernetesGroups: [admins]")),
)
def node_entry(template: Template) -> Iterator[Problem]:
    for entry in _entries(template):
        kind = entry.properties.get("Type", "STANDARD")
        for member in ("AccessPolicies", "KubernetesGroups"):
            if kind in _NODE_TYPES and entry.properties.get(member):
                yield entry.problem(
                    (member,), f"{member} in an entry of type {kind}", "remove them"
                )


@rule(
    "OVL554",
    "Access entries without the access mode API",
    why="A cluster in the mode CONFIG_MAP, the default, has no access entries.",
    source=f"{limits.API}CreateAccessConfigRequest.html",
    bad="kubernetes: {admins: ['arn:aws:iam::111122223333:role/team']}\n"
    + in_cluster("AccessConfig: {AuthenticationMode: CONFIG_MAP}"),
    good="kubernetes: {admins: ['arn:aws:iam::111122223333:role/team']}\n"
    + in_cluster("AccessConfig: {AuthenticationMode: API_AND_CONFIG_MAP}"),
)
def authentication_mode(template: Template) -> Iterator[Problem]:
    for own in template.clusters:
        access = as_map(own.properties.get("AccessConfig"))
        mode = access.get("AuthenticationMode", "CONFIG_MAP")
        if mode == "CONFIG_MAP" and _entries(template):
            written = ("AuthenticationMode",) if "AuthenticationMode" in access else ()
            yield own.problem(
                ("AccessConfig", *written),
                "access entries, which a cluster of mode CONFIG_MAP does not have",
                "write AuthenticationMode: API",
            )


@rule(
    "OVL556",
    "Two access entries for one principal",
    why="EKS accepts one access entry for each IAM principal.",
    source=f"{limits.API}CreateAccessEntry.html",
    bad=in_resources(f"{_entry(_TEAM)}, {_entry(_TEAM, 'Again')}"),
    good=in_resources(f"{_entry(_TEAM)}, {_entry(_OTHER, 'Again')}"),
)
def repeated_principal(template: Template) -> Iterator[Problem]:
    seen: list[Any] = []
    for entry in _entries(template):
        principal = entry.properties.get("PrincipalArn")
        if principal in seen:
            yield entry.problem(("PrincipalArn",), "a second entry for one principal", "keep one")
        seen.append(principal)


@rule(
    "OVL557",
    "Access policy for namespaces without a namespace",
    why="EKS rejects a policy of the scope namespace that names no namespace.",
    source=f"{limits.API}AccessScope.html",
    bad=in_resources(
        _entry(f"{_TEAM}, AccessPolicies: [{{{_VIEW}, AccessScope: {{Type: namespace}}}}]")
    ),
    good=in_resources(
        _entry(
            f"{_TEAM}, AccessPolicies: "
            f"[{{{_VIEW}, AccessScope: {{Type: namespace, Namespaces: [train]}}}}]"
        )
    ),
)
def namespaces(template: Template) -> Iterator[Problem]:
    for entry in _entries(template):
        for index, policy in enumerate(maps(entry.properties.get("AccessPolicies"))):
            scope = as_map(policy.get("AccessScope"))
            if scope.get("Type") == "namespace" and not scope.get("Namespaces"):
                yield entry.problem(
                    ("AccessPolicies", index),
                    "a policy for namespaces that names none",
                    "add Namespaces, or write Type: cluster",
                )


@rule(
    "OVL558",
    "Role of pods without the Pod Identity agent",
    why="The agent hands the credentials of a role to pods. Without it they get none.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html",
    bad=in_resources("AddonEksPodIdentityAgent: null"),
    good=in_resources("AddonEksPodIdentityAgent: {Properties: {ResolveConflicts: PRESERVE}}"),
)
def identity_agent(template: Template) -> Iterator[Problem]:
    for resource, _ in _associations(template):
        if not template.has_addon(_AGENT):
            yield resource.problem(
                (), "a role for pods, but no Pod Identity agent", f"keep the add-on {_AGENT}"
            )


@rule(
    "OVL559",
    "Role that pods may not assume",
    why="EKS Pod Identity assumes the role and tags the session. The role's trust policy must "
    "allow both.",
    source=_POD_ROLES,
    bad=in_resources(f"AddonVpcCniRole: {_trust('sts:AssumeRole')}"),
    good=in_resources(f"AddonVpcCniRole: {_trust('[sts:AssumeRole, sts:TagSession]')}"),
)
def pod_role(template: Template) -> Iterator[Problem]:
    roles = {role.id: role for role in template.resources("AWS::IAM::Role")}
    for _, association in _associations(template):
        name = referred(association.get("RoleArn"))
        if name in roles and not _trusts_pods(roles[name].properties):
            yield roles[name].problem(
                ("AssumeRolePolicyDocument",),
                "a role for pods that pods may not assume",
                f"let {_PODS} do {' and '.join(sorted(_POD_ACTIONS))}",
            )


def _entries(template: Template) -> list[Resource]:
    return template.resources("AWS::EKS::AccessEntry")


def _associations(template: Template) -> Iterator[tuple[Resource, Json]]:
    for resource in template.resources("AWS::EKS::PodIdentityAssociation"):
        yield resource, resource.properties
    for addon in template.addons:
        for association in maps(addon.properties.get("PodIdentityAssociations")):
            yield addon, association


def _trusts_pods(role: Json) -> bool:
    allowed: set[str] = set()
    for statement in maps(as_map(role.get("AssumeRolePolicyDocument")).get("Statement")):
        service = as_map(statement.get("Principal")).get("Service")
        if service == _PODS or _PODS in as_list(service):
            actions = statement.get("Action")
            allowed |= {actions} if isinstance(actions, str) else set(map(str, as_list(actions)))
    return allowed >= _POD_ACTIONS
