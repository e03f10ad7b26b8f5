"""What commands need to know of the bundle that runs: its region, its stacks, its node groups."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from clustergen.base.artifacts import Json
from clustergen.bundle.effects import Effect, Files
from clustergen.deployment.model import PATH
from clustergen.deployment.resource_types import DELETION
from clustergen.services.fields import value_at

FOUNDATION = "foundation.template.json"
_CLUSTER = "cluster.template.json"
_EFS, _FSX = "AWS::EFS::FileSystem", "AWS::FSx::FileSystem"
_DELETE: Mapping[str, str] = {
    **{type: DELETION[type] for type in (_EFS, _FSX, "AWS::APS::Workspace", "AWS::Logs::LogGroup")},
    "AWS::FSx::DataRepositoryAssociation": (
        "fsx delete-data-repository-association --no-delete-data-in-file-system --association-id ID"
    ),
}


class Group(NamedTuple):
    """A managed node group of EKS."""

    name: str
    most: int


class Facts:
    """Facts about a bundle; without its ``bundle.json``, there are none."""

    def __init__(self, files: Files) -> None:
        self._files = files
        bundle: Json = json.loads(files.get(PATH, "{}"))
        self._region = bundle.get("region")
        self._eks_cluster = value_at(bundle, "service.eks_cluster") or "CLUSTER"
        stacks = bundle.get("stacks", {}).values()
        self._stacks = {each["template"]: each["name"] for each in stacks if "template" in each}

    def aws(self, words: str) -> str:
        """The command in the region of the bundle."""
        service, _, rest = words.partition(" ")
        return f"aws {service} --region {self._region} {rest}" if self._region else f"aws {words}"

    def deletion(self, effect: Effect) -> str:
        """The command that deletes what an effect leaves behind; empty if there is not one."""
        if effect.subject == "cluster" and effect.cause in ("region", "cluster"):
            return (
                "./deploy.sh --destroy in its bundle, then --destroy-foundation unless others "
                "use that"
            )
        if not self._region:
            return ""
        if effect.type in _DELETE:
            command = self.aws(_DELETE[effect.type])
            return f"{self._mounts()}, then {command}" if effect.type == _EFS else command
        stack = self._stacks.get(effect.stays)
        if effect.cause == "foundation_stack":
            stack = effect.stays
        return self.aws(f"cloudformation delete-stack --stack-name {stack}") if stack else ""

    def _mounts(self) -> str:
        """EFS deletes no file system that has mount targets."""
        shown = self.aws("efs describe-mount-targets --file-system-id ID")
        return f"{self.aws('efs delete-mount-target --mount-target-id EACH')} of {shown}"

    def deploys(self, path: str) -> bool:
        """Whether a template is deployed as a stack; HyperPod clusters are no stacks."""
        return bool(self._stacks.get(path))

    def ids(self, effect: Effect) -> str:
        """The command that shows the id of what leaves a stack; no stack knows it later."""
        stack = self._stacks.get(effect.file)
        if effect.type not in _DELETE or not stack or not self._region:
            return ""
        return self.aws(
            f"cloudformation describe-stack-resource --stack-name {stack} --logical-resource-id "
            f"{effect.subject} --query StackResourceDetail.PhysicalResourceId --output text"
        )

    def group(self, subject: str) -> Group:
        """The node group with a logical id."""
        template: Json = json.loads(self._files.get(_CLUSTER, "{}"))
        found = template.get("Resources", {}).get(subject, {}).get("Properties", {})
        most = found.get("ScalingConfig", {}).get("MaxSize", 1)
        return Group(str(found.get("NodegroupName", subject)), most)

    def sized(self, group: Group, sizes: str) -> str:
        """The command that sets the sizes of a node group."""
        words = f"--nodegroup-name {group.name} --scaling-config {sizes}"
        return self.aws(f"eks update-nodegroup-config --cluster-name {self._eks_cluster} {words}")
