"""Task governance of HyperPod: a quota for each queue, and the priorities of all.

https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance.html
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.deployment.hyperpod_api import Api
from clustergen.deployment.kinds import DESCRIBED, PRIORITIES, QUOTA, NodesInEks
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop


class _Kind(NamedTuple):
    """A kind of resource: its name, that for people, and its calls."""

    name: str
    noun: str
    create: str
    delete: str
    describe: str
    list: str
    update: str

    @property
    def id(self) -> str:
        return f"{self.name}Id"


_QUOTA: Final = _Kind(
    QUOTA,
    "quota",
    "sagemaker:CreateComputeQuota",
    "sagemaker:DeleteComputeQuota",
    "sagemaker:DescribeComputeQuota",
    "sagemaker:ListComputeQuotas",
    "sagemaker:UpdateComputeQuota",
)
_PRIORITIES: Final = _Kind(
    PRIORITIES,
    "scheduler configuration",
    "sagemaker:CreateClusterSchedulerConfig",
    "sagemaker:DeleteClusterSchedulerConfig",
    "sagemaker:DescribeClusterSchedulerConfig",
    "sagemaker:ListClusterSchedulerConfigs",
    "sagemaker:UpdateClusterSchedulerConfig",
)
_MINUTES: Final = 5
_MINUTES_TO_DELETE: Final = 10
_CLUSTER: Final = "${HyperPodClusterArn}"


class Governance:
    """The quotas and priorities of one HyperPod cluster."""

    def __init__(self, run: Run, cluster: Api, eks: NodesInEks, eks_cluster: str) -> None:
        self.run, self.cluster, self.eks = run, cluster, eks
        self._addon = {"clusterName": eks_cluster, "addonName": eks.addon}
        self._arn = _CLUSTER

    def has_addon(self) -> bool:
        """Whether the EKS cluster has the add-on of task governance."""
        if self.run.options.rehearses:
            return True
        return self.run.world.ask("eks:DescribeAddon", "addon", **self._addon) is not None

    def deploy(self) -> None:
        """Create or update what the bundle has, and delete the quotas of queues that left it."""
        if self.has_addon():
            self._change(self.eks.quotas)
        elif self.eks.quotas:
            cluster, addon = self._addon.values()
            self.run.note(
                "The queues wait for the add-on of task governance. Install it, and deploy again: "
                f"aws --region {self.run.bundle.region} eks create-addon --cluster-name {cluster} "
                f"--addon-name {addon}"
            )

    def delete(self) -> None:
        """Delete all that clustergen made."""
        if self.eks.quotas or self.has_addon():
            self._change({})

    def _change(self, quotas: Mapping[str, str]) -> None:
        rehearses = self.run.options.rehearses
        if not rehearses:
            self._arn = self._found_arn()
        # First, because their nodes may now belong to other queues.
        removed = self._left(quotas)
        if removed and quotas:
            names = ", ".join(removed)
            self.run.note(f"No longer in the spec, so their quotas are deleted: {names}")
        self._delete(_QUOTA, removed)
        if quotas:
            self._make(_PRIORITIES, self.cluster.name, self.eks.priorities)
            for name, path in quotas.items():
                self._make(_QUOTA, name, path)
        elif self.eks.quotas if rehearses else self._is_ours(_PRIORITIES, self.cluster.name):
            self._delete(_PRIORITIES, [self.cluster.name])

    def _found_arn(self) -> str:
        found = self.cluster.describe().get("ClusterArn")
        if not found:
            raise Stop(f"the HyperPod cluster {self.cluster.name} does not exist")
        return str(found)

    # -- what exists

    def _listed(self, kind: _Kind) -> dict[str, Json]:
        member = f"{kind.name}Summaries"
        found = self.run.world.ask_all(kind.list, member, member, ClusterArn=self._arn) or ()
        return {each["Name"]: each for each in found if each["Status"] != "Deleted"}

    def _find(self, kind: _Kind, name: str, known: dict[str, Json] | None = None) -> Json | None:
        """What exists; ``known`` is what :meth:`_listed` answered, if it was asked."""
        listed = (self._listed(kind) if known is None else known).get(name)
        if listed is None:
            return None
        return self.run.world.ask(kind.describe, "Status", **{kind.id: listed[kind.id]})

    def _left(self, quotas: Mapping[str, str]) -> list[str]:
        """The other quotas that clustergen made; in a dry run, those of the bundle."""
        if self.run.options.rehearses:
            return [name for name in self.eks.quotas if name not in quotas]
        known = self._listed(_QUOTA)
        return [name for name in known if name not in quotas and self._is_ours(_QUOTA, name, known)]

    def _is_ours(self, kind: _Kind, name: str, known: dict[str, Json] | None = None) -> bool:
        """Whether it exists, and clustergen made it; says that others did."""
        shown = self._find(kind, name, known)
        if shown is None or _is_made(kind, name, shown):
            return shown is not None
        self.run.note(f"The {kind.noun} {name}: clustergen did not make it, so it stays.")
        return False

    def _settled(self, kind: _Kind, name: str, *, made: bool = False) -> Json | None:
        """What exists, once nothing changes it; with ``made``, it will exist."""

        def settled() -> tuple[Json | None] | None:
            shown = self._find(kind, name)
            changes = shown["Status"].endswith("ing") if shown else made
            return None if changes else (shown,)

        return self.run.world.wait(_MINUTES, f"the {kind.noun} {name}", settled)[0]

    # -- changes

    def _make(self, kind: _Kind, name: str, path: str) -> None:
        members, world = self.run.json(path), self.run.world
        shown = self._usable(kind, name)
        if shown is None:
            tags = {"Tags": self.run.tags} if self.run.tags else {}
            beside = {"Name": name, "ClusterArn": self._arn, **tags}
            world.send_file(kind.create, members, path, beside)
            if self.run.options.rehearses:
                return
        # A hash in the description tells whether the content is the same.
        elif re.fullmatch("Update.*Failed", shown["Status"]) or shown.get(
            "Description"
        ) != members.get("Description"):
            version = {kind.id: shown[kind.id], "TargetVersion": shown[f"{kind.name}Version"]}
            world.send_file(kind.update, members, path, version)
        shown = self._settled(kind, name, made=True)
        if shown and shown["Status"] not in ("Created", "Updated"):
            raise Stop(f"the {kind.noun} {name}: {shown['Status']}{_reason(shown)}")

    def _usable(self, kind: _Kind, name: str) -> Json | None:
        """What exists and can be updated: no update would mend a failed creation."""
        if self.run.options.rehearses or (shown := self._find(kind, name)) is None:
            return None
        self._stop_at_foreign(kind, name, shown)
        shown = self._settled(kind, name)
        if shown and re.fullmatch("Create.*Failed", shown["Status"]):
            what = f"The {kind.noun} {name}"
            self.run.note(f"{what} could not be created. It is deleted and created again.")
            self._delete(kind, [name])
            return None
        return shown

    def _stop_at_foreign(self, kind: _Kind, name: str, shown: Json) -> None:
        if _is_made(kind, name, shown):
            return
        command = self.run.world.command(kind.delete, {kind.id: shown[kind.id]})
        way = "Rename the queue in the spec, and render again. " if kind is _QUOTA else ""
        raise Stop(
            f"clustergen did not make the {kind.noun} {name}: its description is "
            f"{shown.get('Description') or ''!r}. It stays as it is. {way}If nobody needs that "
            f"{kind.noun}, run this, and deploy again: {' '.join(command)}"
        )

    def _delete(self, kind: _Kind, names: Iterable[str]) -> None:
        """Delete all of a kind, and wait until they are gone."""
        names = list(names)
        for name in names:
            if id := self._deletable(kind, name):
                self.run.world.change(kind.delete, **{kind.id: id})
        for name in names:
            what = f"the deletion of the {kind.noun} {name}"
            self.run.world.wait(_MINUTES_TO_DELETE, what, self._gone(kind, name))

    def _deletable(self, kind: _Kind, name: str) -> str | None:
        """The id of what exists and is not being deleted, once nothing else changes it."""
        if self.run.options.rehearses:
            return f"${{{kind.id}}}"
        shown = self._find(kind, name)
        if shown and shown["Status"] != "Deleting":
            shown = self._settled(kind, name)
            return str(shown[kind.id]) if shown else None
        return None

    def _gone(self, kind: _Kind, name: str) -> Callable[[], bool]:
        def gone() -> bool:
            shown = None if self.run.options.rehearses else self._find(kind, name)
            if shown and re.fullmatch("Delete.*Failed", shown["Status"]):
                raise Stop(f"the {kind.noun} {name} could not be deleted{_reason(shown)}")
            return shown is None

        return gone


def _is_made(kind: _Kind, name: str, shown: Json) -> bool:
    begin = re.escape(DESCRIBED[kind.name].format(name))
    return bool(re.fullmatch(f"{begin} [0-9a-f]+", str(shown.get("Description"))))


def _reason(shown: Json) -> str:
    return f": {shown.get('FailureReason') or 'HyperPod gives no reason'}"
