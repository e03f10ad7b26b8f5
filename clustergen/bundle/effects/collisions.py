"""Resources that CloudFormation cannot replace.

It creates the new resource first, and deletes the old one at the end. Both cannot have one name,
one address or one path.
"""

from collections.abc import Collection

from clustergen.base.artifacts import Json
from clustergen.bundle.effects.change import Change
from clustergen.bundle.effects.values import references
from clustergen.facts.schemas import replacements
from clustergen.services.fields import value_at

SOURCE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "aws-properties-name.html"
)
_UNIQUE = {
    "AWS::EC2::Subnet": ("VpcId", "CidrBlock", "two subnets of a VPC cannot have one CIDR block"),
    "AWS::EC2::NatGateway": ("", "AllocationId", "two NAT gateways cannot have one address"),
    "AWS::EFS::MountTarget": (
        "FileSystemId",
        "FileSystemId",
        "a file system has one mount target in a zone",
    ),
}
"""The owner, and what of it only one resource can have."""
_OWNERS = {
    "AWS::EKS::Nodegroup": "ClusterName",
    "AWS::PCS::ComputeNodeGroup": "ClusterId",
    "AWS::PCS::Queue": "ClusterId",
}
"""Where names are unique within a cluster, the property that says which."""
_REPOSITORY = "AWS::FSx::DataRepositoryAssociation"


def of(change: Change, old: Json, replaced: Collection[Change]) -> str:
    """Why ``change`` cannot replace its resource; empty if it can."""
    if change.fixed == "Type":
        return ""
    ids = {each.name for each in replaced}
    cause = change.fixed.rpartition(".")[2]
    name = replacements.NAMES.get(change.type)
    if name and _is_taken(change, name, ids):
        return (
            f"{cause} of {change.name} cannot change, and two resources cannot have "
            "its name; use another name"
        )
    if change.type == _REPOSITORY and _overlaps(change, old, ids):
        return (
            f"{cause} of {change.name} cannot change while the old association has the same "
            f"path or place in S3; {_taken_out(old[change.name])}"
        )
    owner, unique, why = _UNIQUE.get(change.type, ("", "", ""))
    if unique and _stays(change, unique, ids) and (not owner or _stays(change, owner, ids)):
        return f"{cause} of {change.name} cannot change, because {why}"
    return ""


def _taken_out(association: Json) -> str:
    if str(association.get("DeletionPolicy", "Delete")) == "Delete":
        return "remove it in one deployment, and add the new one in the next"
    return "remove it in one deployment, delete it, as it stays, and add the new one in the next"


def _is_taken(change: Change, name: str, ids: Collection[str]) -> bool:
    owner = _OWNERS.get(change.type)
    if owner and not _stays(change, owner, ids):
        return False
    return _stays(change, name, ids) and isinstance(value_at(change.properties, name), str | dict)


def _stays(change: Change, path: str, ids: Collection[str]) -> bool:
    old, new = change.both(path)
    return old == new and not references(new) & set(ids)


def _overlaps(change: Change, old: Json, ids: Collection[str]) -> bool:
    """Whether an association of the old template has the path or the bucket of the new one.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
    """
    if not _stays(change, "FileSystemId", ids):
        return False
    return any(
        value_at(resource, "Properties.FileSystemId") == change.properties["FileSystemId"]
        and any(
            value_at(resource, f"Properties.{path}") == change.properties.get(path)
            for path in ("FileSystemPath", "DataRepositoryPath")
        )
        for resource in old.values()
        if resource["Type"] == _REPOSITORY
    )
