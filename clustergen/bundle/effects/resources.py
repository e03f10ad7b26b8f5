"""What CloudFormation does with single resources."""

from collections.abc import Callable, Iterator, Mapping

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import word_set, words
from clustergen.bundle.effects import file_systems, node_groups, retention
from clustergen.bundle.effects.change import Change
from clustergen.bundle.effects.model import Effect, Kind
from clustergen.deployment import resource_types
from clustergen.facts.schemas import replacements
from clustergen.services.foundation.monitoring import NODE_LOG

_ATTRIBUTES = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
_DELETION = f"{_ATTRIBUTES}aws-attribute-deletionpolicy.html"
_REPLACEMENT = f"{_ATTRIBUTES}aws-attribute-updatereplacepolicy.html"

NETWORK = word_set("""
    AWS::EC2::VPC AWS::EC2::Subnet AWS::EC2::NatGateway AWS::EC2::SecurityGroup
    AWS::EC2::RouteTable AWS::EC2::EIP AWS::EC2::VPCEndpoint
""")
_DATA = resource_types.STORES
_CLUSTERS = frozenset(resource_types.CLUSTERS)
_GROUPS = frozenset(resource_types.NODES)
_QUEUES = word_set("AWS::PCS::Queue AWS::Batch::JobQueue")
_QUOTA = "AWS::SageMaker::ComputeQuota"
_KIND = words("""
    InstanceConfigs InstanceTypes AmiType CapacityType PurchaseOption ComputeNodeGroupConfigurations
    ComputeEnvironmentOrder
""")
"""Properties that are the same where a group or a queue only gets another name."""
_WITHOUT_STATE = word_set("""
    AWS::EC2::Route AWS::EC2::SecurityGroupEgress AWS::EC2::SecurityGroupIngress
    AWS::EC2::SubnetRouteTableAssociation AWS::EC2::VPCGatewayAttachment AWS::EKS::AccessEntry
    AWS::EKS::PodIdentityAssociation AWS::IAM::InstanceProfile AWS::IAM::ManagedPolicy
    AWS::IAM::Policy AWS::IAM::Role AWS::Logs::Delivery AWS::Logs::DeliveryDestination
    AWS::Logs::DeliverySource AWS::S3::BucketPolicy
""")
"""They have no state: a new one does what the old one did."""


_WORKING: Mapping[str, str] = {
    "AWS::FSx::DataRepositoryAssociation": (
        "continues to import and export until you delete it; nothing else can have its path or its "
        "place in S3 before"
    ),
    "AWS::Logs::LogGroup": "costs money as long as it has events",
    "AWS::S3::Bucket": "costs money as long as it has objects; nothing else can have its name",
}
"""What resources do that stay outside the stack; others do nothing without those."""


def replaced(change: Change) -> Effect:
    """The effect of a resource that becomes another one."""
    cause = change.fixed.rpartition(".")[2]
    fate = _fate(change.old, "UpdateReplacePolicy")
    text = f"replaces {change.name} ({cause} changes)"
    kind: Kind = "replaces-resource"
    stays = ""
    if what := _DATA.get(change.old["Type"]):
        kind = "data-at-risk"
        text += f": the new {what} is empty, and the old one {fate}"
        stays = change.name if _is_kept(change.old, "UpdateReplacePolicy") else ""
    elif change.type in _GROUPS | _QUEUES:
        text += ": the old one is deleted, and running jobs end"
    elif change.type in _WITHOUT_STATE:
        kind = "in-place"
    elif _is_kept(change.old, "UpdateReplacePolicy"):
        text += f"; the old one {fate}"
        stays = change.name
    effect = Effect(kind, change.name, change.fixed, text, _REPLACEMENT, stays, change.type)
    return effect._replace(ends="replaced", loses=what is not None and not stays)


def _is_kept(resource: Json, policy: str) -> bool:
    return str(resource.get(policy, "Delete")).startswith("Retain")


def _fate(resource: Json, policy: str) -> str:
    if not _is_kept(resource, policy):
        return "is deleted with its data"
    return "stays outside the stack, and continues to cost money"


def updated(change: Change) -> list[Effect]:
    """The effects of a resource that stays the same one."""
    find = _RULES.get(change.type)
    found = list(_armed(change))
    if find:
        found += find(change)
    if not found:
        text = f"changes {change.name} ({', '.join(change.paths)})"
        found = [Effect("in-place", change.name, change.paths[0], text)]
    return [each._replace(type=change.type) for each in found]


def _armed(change: Change) -> Iterator[Effect]:
    """That the data of a resource loses its protection."""
    what = _DATA.get(change.type)
    for policy in ("DeletionPolicy", "UpdateReplacePolicy") if what else ():
        if _is_kept(change.old, policy) and not _is_kept(change.new, policy):
            text = (
                f"removes the protection of {change.name}: from then on, a deletion of the stack "
                f"or a replacement deletes the {what} with its data"
            )
            yield Effect("data-at-risk", change.name, policy, text, _DELETION)
            return


_RULES: Mapping[str, Callable[[Change], Iterator[Effect]]] = {
    "AWS::FSx::FileSystem": file_systems.fsx,
    "AWS::EFS::FileSystem": retention.efs,
    "AWS::FSx::DataRepositoryAssociation": retention.exports,
    "AWS::Logs::LogGroup": retention.events,
    "AWS::Batch::ComputeEnvironment": node_groups.batch,
    "AWS::Batch::JobQueue": node_groups.job_queue,
    "AWS::PCS::ComputeNodeGroup": node_groups.pcs,
    "AWS::PCS::Cluster": node_groups.pcs_cluster,
    "AWS::EKS::Nodegroup": node_groups.eks,
    "AWS::EKS::Cluster": node_groups.eks_cluster,
}


def added(name: str, resource: Json) -> Effect:
    return Effect("in-place", name, "", f"creates {name}", type=resource["Type"])


_INTERNET = "https://docs.aws.amazon.com/vpc/latest/userguide/vpc-nat-gateway.html"
_SERVING: Mapping[str, str] = {
    "AWS::EC2::NatGateway": (
        "at once: nodes without a public address lose the internet, and so do running jobs"
    ),
    "AWS::EC2::InternetGateway": "at once: nothing in the VPC reaches the internet through it",
    "AWS::EC2::EIP": "and releases its address, which does not come back",
}
"""What is missed when it is deleted, though it holds no data."""


def removed(old: Json, new: Json) -> Iterator[Effect]:
    for name in sorted(old.keys() - new.keys()):
        resource, type = old[name], old[name]["Type"]
        if type in _DATA:
            yield _lost(name, resource)
        elif other := _renamed(resource, old, new):
            why = resource_types.WORK[type]
            text = f"replaces {name} with {other}, which has another name: {why}"
            yield Effect("replaces-resource", name, "", text, type=type, ends="replaced")
        elif type in _CLUSTERS:
            text = f"deletes {name}, with its nodes, its jobs, and what users have made in it"
            yield Effect("replaces-resource", name, "", text, type=type, ends="deleted")
        elif type in _GROUPS:
            login = node_groups.is_login(resource.get("Properties", {}))
            kind: Kind = "ends-sessions" if login else "removes-nodes"
            what = "login nodes, and the sessions" if login else "nodes, and the jobs"
            text = f"deletes {name}, its {what} on them"
            yield Effect(kind, name, "", text, type=type, ends="deleted")
        elif type in _QUEUES:
            yield _queue(name, type)
        elif type == _QUOTA:
            text = f"deletes {name}: {resource_types.WORK[type]}"
            yield Effect("replaces-resource", name, "", text, type=type, ends="deleted")
        else:
            yield _deleted(name, resource)


def _lost(name: str, resource: Json) -> Effect:
    what, fate = _DATA[resource["Type"]], _fate(resource, "DeletionPolicy")
    text = f"removes {name} from the stack: the {what} {fate}"
    if resource["Type"].endswith("::FileSystem"):
        text += "; jobs that use it hang, and so do nodes that still mount it"
    stays = name if _is_kept(resource, "DeletionPolicy") else ""
    effect = Effect("data-at-risk", name, "", text, _DELETION, stays, resource["Type"])
    return effect if stays else effect._replace(ends="deleted", loses=True)


def _renamed(resource: Json, old: Json, new: Json) -> str:
    """The new resource that is the same as one that leaves the template, but for its name."""
    type = resource["Type"]
    if type not in replacements.NAMES or type not in _GROUPS | _QUEUES | {_QUOTA}:
        return ""
    for name in new.keys() - old.keys():
        if new[name]["Type"] == type and _alike(resource, new[name]):
            return name
    return ""


def _alike(old: Json, new: Json) -> bool:
    before, after = old.get("Properties", {}), new.get("Properties", {})
    return all(before.get(path) == after.get(path) for path in _KIND)


def _queue(name: str, type: str) -> Effect:
    text = f"deletes {name}: {resource_types.WORK[type]}"
    source = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_queues_delete.html"
    return Effect("removes-nodes", name, "", text, source, type=type, ends="deleted")


def _deleted(name: str, resource: Json) -> Effect:
    type = resource["Type"]
    if not _is_kept(resource, "DeletionPolicy"):
        return _gone(name, type)
    text = f"removes {name} from the stack; it stays"
    if type not in _WORKING:
        return Effect("in-place", name, "", text, type=type)
    return Effect("leftover", name, "", f"{text}, and {_WORKING[type]}", _DELETION, name, type)


def _gone(name: str, type: str) -> Effect:
    if type in _SERVING:
        text = f"deletes {name} {_SERVING[type]}"
        return Effect("replaces-resource", name, "", text, _INTERNET, type=type, ends="deleted")
    if type == "AWS::Logs::LogGroup" and name != NODE_LOG:
        text = f"deletes {name}, with all events in it"
        return Effect("data-at-risk", name, "", text, retention.SOURCE, type=type, ends="deleted")
    return Effect("in-place", name, "", f"deletes {name}", type=type, ends="deleted")
