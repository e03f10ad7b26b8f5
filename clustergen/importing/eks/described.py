"""What ``aws eks describe-...`` prints: a cluster, node groups, add-ons and access entries."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.base.documents import change_texts
from clustergen.base.text_lists import word_set
from clustergen.importing.cloudformation import Resource
from clustergen.importing.descriptions import capitalized, launch_templates, tagged, used_template
from clustergen.importing.machines import items, mappings, section
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source
from clustergen.importing.settings import Json

_MEMBERS: Final[Mapping[str, tuple[str, str]]] = {
    "cluster": ("AWS::EKS::Cluster", "name"),
    "nodegroup": ("AWS::EKS::Nodegroup", "nodegroupName"),
    "addon": ("AWS::EKS::Addon", "addonName"),
    "accessEntry": ("AWS::EKS::AccessEntry", "principalArn"),
}
_ENTRY, _ADDON = "accessEntry", "addon"
# https://docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html and those of the others, read
# on 2026-11-22: members that a request does not have.
_STATE: Final = word_set("""
    arn createdAt modifiedAt endpoint identity status certificateAuthority clientRequestToken
    platformVersion connectorConfig id health nodegroupArn clusterName releaseVersion resources
    addonArn publisher owner marketplaceInformation accessEntryArn
""")
_STATE_OF_VPC: Final = word_set("clusterSecurityGroupId vpcId")
_STATE_OF_NETWORK: Final = word_set("serviceIpv6Cidr elasticLoadBalancing")
_DISK: Final = "diskSize"
_PODS: Final = "podIdentityAssociations"


def resources(sources: Sequence[Source], notes: Notes) -> list[Resource]:
    """The cluster, its node groups, add-ons, access entries and launch templates."""
    found = list(launch_templates(sources))
    groups = dict(_security_groups(sources))
    associations = dict(_associations(sources))
    for source in sources:
        for member, (type, name) in _MEMBERS.items():
            described: Json | None = section(source.data, member)
            if not described or name not in described:
                continue
            if member == _ENTRY:
                described = _entry(described, sources, notes)
            if member == _ADDON:
                described = _addon(described or {}, associations, notes)
            if described:
                notes.dropped((), f"the state of {described[name]}, which a description shows")
                id = f"{member}:{described[name]}"
                properties = {**_properties(described, found), **_joined(described, sources)}
                found.append(Resource(id, type, properties, source, (member,)))
    return [each._replace(properties=_linked(each.properties, groups)) for each in found]


def _joined(described: Json, sources: Sequence[Source]) -> Json:
    """The name of the cluster of a node group, where no file describes the cluster."""
    name = described.get("clusterName") if "nodegroupName" in described else None
    known = any(section(source.data, "cluster") for source in sources)
    return {"ClusterName": name} if name and not known else {}


def _security_groups(sources: Sequence[Source]) -> Any:
    """The security group that EKS made for a cluster, as a reference to it."""
    for source in sources:
        cluster = section(source.data, "cluster")
        if group := section(cluster, "resourcesVpcConfig").get("clusterSecurityGroupId"):
            owner = f"cluster:{cluster.get('name')}"
            yield group, {"Fn::GetAtt": [owner, "ClusterSecurityGroupId"]}


def _linked(properties: Json, groups: Mapping[str, Json]) -> Json:
    return dict(change_texts(properties, lambda text: groups.get(text, text)))


def _associations(sources: Sequence[Source]) -> Iterator[tuple[str, Json]]:
    """The roles that Pod Identity gives service accounts, by the ARN of the association."""
    for source in sources:
        found = section(source.data, "association")
        if "associationArn" in found:
            names = ("serviceAccount", "roleArn")
            yield found["associationArn"], {each: found.get(each) for each in names}


_SERVICE_ROLES: Final = ":role/aws-service-role/"
_OF_NODES: Final = ("EC2_LINUX", "EC2_WINDOWS")
_STATE_OF_POLICY: Final = word_set("associatedAt modifiedAt")


def _entry(described: Json, sources: Sequence[Source], notes: Notes) -> Json | None:
    """What a request for an access entry says; None for one that EKS makes.

    https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
    """
    principal = str(described["principalArn"])
    roles = {str(section(each.data, "nodegroup").get("nodeRole")) for each in sources}
    if _SERVICE_ROLES in principal:
        notes.dropped((), f"the access entry of {principal}, which EKS makes")
        return None
    if described.get("type") in _OF_NODES and principal in roles:
        notes.dropped((), f"the access entry of {principal}, which EKS makes for a node group")
        return None
    found = dict(described)
    if found.get("username") == _username(principal, str(found.get("type"))):
        del found["username"]
    return {**found, "accessPolicies": [*_policies(principal, sources)]}


def _username(principal: str, type: str) -> str:
    """The name that EKS gives a principal of which the request names none."""
    if type in _OF_NODES:
        return "system:node:{{EC2PrivateDNSName}}"
    before, role, path = principal.partition(":role/")
    if not role:
        return principal
    account = before.replace(":iam:", ":sts:")
    return f"{account}:assumed-role/{path.rpartition('/')[2]}/{{{{SessionName}}}}"


def _policies(principal: str, sources: Sequence[Source]) -> Iterator[Json]:
    """The policies of an entry, which another call shows."""
    for source in sources:
        data: Any = source.data
        if isinstance(data, Mapping) and data.get("principalArn") == principal:
            for policy in mappings(data, "associatedAccessPolicies"):
                yield {key: value for key, value in policy.items() if key not in _STATE_OF_POLICY}


def _addon(addon: Json, associations: Mapping[str, Json], notes: Notes) -> Json:
    """An add-on with its associations as a request writes them."""
    arns = [str(each) for each in items(addon, _PODS)]
    if missing := [each for each in arns if each not in associations]:
        text = f"the role of the add-on {addon['addonName']} for {missing[0]} is in no file"
        help = "add what `aws eks describe-pod-identity-association` prints"
        notes.asked((_ADDON, _PODS), text, help, "targets")
    known = [associations[each] for each in arns if each in associations]
    rest = {key: value for key, value in addon.items() if key != _PODS}
    return {**rest, **({_PODS: known} if known else {})}


def _properties(described: Json, known: Sequence[Resource]) -> Json:
    kept = {key: value for key, value in described.items() if key not in _STATE}
    _keep(kept, "resourcesVpcConfig", _STATE_OF_VPC)
    _keep(kept, "kubernetesNetworkConfig", _STATE_OF_NETWORK)
    if logging := _logging(section(kept, "logging")):
        kept["logging"] = logging
    template = kept.pop("launchTemplate", None)
    if isinstance(template, Mapping):
        # EKS shows the size of a volume also where a launch template decides it.
        kept.pop(_DISK, None)
    tags = tagged(kept.pop("tags", None))
    found: Json = capitalized(kept)
    if isinstance(template, Mapping):
        used = used_template(template, known) or template.get("id")
        found["LaunchTemplate"] = {"Id": used, "Version": template.get("version")}
    if tags:
        found["Tags"] = [{"Key": key, "Value": value} for key, value in tags.items()]
    return found


def _keep(node: Json, key: str, state: frozenset[str]) -> None:
    if key in node:
        node[key] = {name: v for name, v in section(node, key).items() if name not in state}


def _logging(logging: Json) -> Json:
    """The types of logs that are on, in the form of a template."""
    setups = [each for each in mappings(logging, "clusterLogging") if each.get("enabled")]
    types = [{"type": name} for each in setups for name in each.get("types", [])]
    return {"clusterLogging": {"enabledTypes": types}} if types else {}
