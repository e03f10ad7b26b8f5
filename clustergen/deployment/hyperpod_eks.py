"""HyperPod clusters whose nodes join an EKS cluster: a new one, or one that exists."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from clustergen.base.artifacts import Json
from clustergen.deployment import (
    bucket,
    cloudformation,
    eks_owner,
    filling,
    foundation,
    kubernetes_tests,
    stacks,
)
from clustergen.deployment.administrators import check_administrators, kept_entries
from clustergen.deployment.bucket import Rows
from clustergen.deployment.changes import Guard
from clustergen.deployment.existing_hyperpod import ExistingHyperPod
from clustergen.deployment.governance import Governance
from clustergen.deployment.hyperpod import HyperPodCluster
from clustergen.deployment.kinds import HyperPod, NodesInEks
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.node_pools import NodePools
from clustergen.deployment.nodes import Node
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.side_stacks import SideStack
from clustergen.deployment.software.hyperpod_chart import HyperPodInstallation
from clustergen.deployment.software.installation import Installation
from clustergen.deployment.stacks import Template
from clustergen.deployment.world import AGAIN, Stop, at

_OF_CHART: Final = "aws-hyperpod"
"""The namespace that HyperPod's chart makes."""


class EksStack(SideStack):
    """The stack of a new EKS cluster."""

    def template(self) -> Template:
        eks = _eks(self.run)
        return kept_entries(self.run, self.stack, eks.entries, super().template())


class HyperPodOnEks(HyperPodCluster):
    """A HyperPod cluster with the objects of the bundle in its EKS cluster."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.eks = _eks(run)
        self.kubernetes = Kubernetes(run, self.service.eks_cluster)
        self.pools = NodePools(run, self.kubernetes, self.eks.pools)
        self.governance = Governance(run, self.api, self.eks, self.service.eks_cluster)
        self.stack = EksStack(run, "eks") if self.eks.creates else None
        """That of a new EKS cluster."""
        self.addons = SideStack(run, "addons") if self.eks.creates else None
        self._is_silent = False
        """Whether the API did not respond before anything changed: nothing in it is deleted."""
        self._ends_pause = False
        self._lacking: str | None = None
        """Why nodes lack, once they were waited for."""

    def drain(self, node: Node, entrance: Node) -> str:  # noqa: ARG002
        return self.kubernetes.cordon(node.id)

    def test(self, group: str, entrance: Node | None) -> None:  # noqa: ARG002
        kubernetes_tests.run(self.kubernetes, group)

    @property
    def programs(self) -> tuple[str, ...]:
        """Who stops nodes that cost money needs none."""
        action = self.run.options.action
        if action in ("deploy", "install"):
            needs_chart = self.eks.chart and (self.eks.creates or action == "install")
            chart = ("helm",) if self.eks.software.registry else ("git", "helm")
            return ("aws", "kubectl", *(chart if needs_chart else ()))
        if action == "uninstall" or (self.stack is None and action in ("foundation", "destroy")):
            return ("aws", "kubectl")
        return ("aws",) if action == "destroy" else ()

    def exists(self) -> bool:
        if super().exists():
            return True
        return bool(self.stack and cloudformation.status(self.run.world, self.stack.stack.name))

    def known(self) -> Outputs:
        """Those of the stack of the EKS cluster come first."""
        return self._with_eks(foundation.outputs(self.run))

    def _with_eks(self, outputs: Outputs) -> Outputs:
        if self.stack is None:
            return outputs
        return {**outputs, **cloudformation.outputs(self.run.world, self.stack.stack.name)}

    # -- before anything changes

    def check_owner(self) -> None:
        if self.stack:
            eks_owner.check(self.run, self.stack.stack, self.kubernetes)
        super().check_owner()

    def check_orchestrator(self, shown: Json) -> None:
        found = at(shown, "Orchestrator.Eks.ClusterArn")
        if not found:
            raise Stop(self.is_orchestrated("Slurm"))
        self.check_eks(str(found))

    def check_eks(self, arn: str) -> None:
        """Stop if the nodes join another EKS cluster."""
        if arn != filling.filled(self.eks.arn, self.known()):
            raise Stop(
                f"the nodes of the HyperPod cluster {self.api.name} join another EKS cluster, "
                f"{arn}, so it belongs to another bundle. Nothing was changed. Give the cluster "
                "another name in the spec."
            )

    def check(self) -> None:
        super().check()
        if self.stack is None:
            self._check_objects()
        elif self.eks.admins:
            name = self.service.eks_cluster
            check_administrators(self.run, self.stack.stack, name, self.eks.admins)
        if self.run.options.action == "deploy":
            self._check_pools()

    def _check_objects(self) -> None:
        if self.eks.software.late:
            self.kubernetes.check_access()
        elif silence := self.kubernetes.silence():
            self._is_silent = True
            self.run.note(
                f"The API of {self.kubernetes.cluster} does not respond. Objects of an earlier "
                f"bundle stay in it, if there are any. {silence}"
            )
            return
        if not self.service.joins and not self.kubernetes.has("namespace", _OF_CHART):
            self.run.note(
                f"{self.kubernetes.cluster} has no namespace {_OF_CHART}, so probably not "
                "HyperPod's chart, without which nodes offer no devices and are not repaired: run "
                "deploy.sh --install first, or ask the owner of the cluster."
            )
        self._installation(self.known()).check()

    def _installation(self, outputs: Outputs) -> Installation:
        """The objects of the bundle."""
        return Installation(self.kubernetes, self.eks.software, outputs)

    def _check_pools(self) -> None:
        """Those that left the spec are deleted in the end, and with them their nodes."""
        if not self.api.status() or self._is_silent:
            return
        if self.stack:
            self.pools.look_before(self.kubernetes.is_up())
        else:
            self.pools.look()

    # -- changes

    def review(self, outputs: Outputs) -> Mapping[str, list[Guard]]:
        found = {**super().review(outputs)}
        if not self.run.options.rehearses and self.run.options.action == "deploy":
            known = self._with_eks(outputs)
            for each in filter(None, (self.stack, self.addons)):
                found |= each.review(known)
        return found

    def examine(self, outputs: Outputs) -> None:
        """The request needs outputs of the EKS cluster, which is changed first."""

    def change(self, outputs: Outputs) -> None:
        if self.stack:
            self.stack.deploy(outputs)
            self.kubernetes.check_access()
            self._install_chart()
            self.pools.look_again()
        known = self._with_eks(outputs)
        super().examine(known)
        super().change(known)
        if self._ends_pause:
            bucket.forget(self.run, outputs, self.memory)

    def install(self, outputs: Outputs) -> None:
        """Add-ons need nodes, so they come last. What pods cannot do without is there before."""
        self._lacking = super().wait()
        known = self._with_eks(outputs)
        if not self.eks.quotas and not self.service.joins:
            # While the add-on is there.
            self.governance.deploy()
        if self.addons:
            self.addons.deploy(known)
            if self.eks.quotas:
                self.kubernetes.wait("kueue-controller-manager", "kueue-system")
        if self.eks.quotas:
            self.governance.deploy()
        self._apply(known)

    def _apply(self, outputs: Outputs) -> None:
        if not self.eks.software.late:
            if not self._is_silent and not self.kubernetes.silence():
                self._installation(outputs).prune()
        elif self.eks.quotas and not self.governance.has_addon():
            self.run.note(
                "The objects of the bundle wait, too: their namespaces come with the quotas."
            )
        else:
            self.kubernetes.check_access()
            self._installation(outputs).install()

    def _install_chart(self) -> None:
        if self.eks.chart:
            software, new = self.eks.software, self.eks.creates
            HyperPodInstallation(self.kubernetes, self.eks.chart, software, new=new).install()

    def install_software(self, outputs: Outputs) -> None:
        """HyperPod's chart, and what needs HyperPod itself once the cluster is there."""
        self.kubernetes.check_access()
        known = self._with_eks(outputs)
        if self.run.options.plan or self.stack is None:
            self._installation(known).check()
        if self.run.options.plan:
            return
        self._install_chart()
        if self.run.options.rehearses or self.api.status():
            self._apply(known)
        else:
            self.run.note(f"The objects of the bundle wait for the cluster {self.api.name}.")

    def software_of_bundle(self) -> Callable[[], None]:
        if self.stack:
            return super().software_of_bundle()
        self.kubernetes.check_access()
        return self._installation({}).remove

    def wait(self, again: str = AGAIN) -> str:
        return super().wait(again) if self._lacking is None else self._lacking

    # -- pauses

    def recall(self, outputs: Outputs) -> Rows | None:
        if self.run.options.action in ("pause", "resume"):
            self._check_sizes()
        return super().recall(outputs)

    def counts(self) -> Rows:
        self._check_sizes()
        return super().counts()

    def _check_sizes(self) -> None:
        if not self.service.compute:
            raise Stop(
                "Karpenter sizes the groups: delete the workloads or the NodePools, and its nodes "
                "go; there is nothing to pause or to resume."
            )

    def while_paused(self) -> None:
        """Where Karpenter sizes all groups now, the deployment ends a pause of before."""
        if self.service.compute:
            super().while_paused()
        else:
            self._ends_pause = True

    # -- deletion

    def check_alone(self) -> None:
        super().check_alone()
        if self.stack and not self.run.options.rehearses:
            own, hyperpod = self.stack.stack, self.api.name
            eks_owner.check_alone(self.run, own, self.kubernetes, hyperpod)

    def delete(self) -> None:
        if self.stack is None:
            self._remove_objects()
        if not self.service.joins and (self.run.options.rehearses or self.api.status()):
            self.governance.delete()
        if self.addons:
            own = self.addons.stack
            stacks.delete(self.run, own, quietly=not own.template)
        super().delete()
        if self.stack:
            stacks.delete(self.run, self.stack.stack)

    def _remove_objects(self) -> None:
        if silence := self.kubernetes.silence():
            objects = self.run.bundle.objects
            self.run.note(
                f"The API of {self.kubernetes.cluster} does not respond. Where it does, deploy.sh "
                "--uninstall deletes the objects of this bundle: those with the label "
                f"{objects.label}={objects.owner}. {silence}"
            )
        else:
            self._installation({}).remove()


class ExistingHyperPodOnEks(HyperPodOnEks, ExistingHyperPod):
    """Groups of this bundle in a HyperPod cluster that exists."""

    def check_eks(self, arn: str) -> None:
        """A deployment looks at it; what this bundle added can be deleted in any case."""

    def check_scheduler(self, shown: Json) -> None:
        arn = at(shown, "Orchestrator.Eks.ClusterArn")
        if arn != self.eks.arn:
            raise Stop(
                f"the nodes of {self.api.name} join {arn}: write that as eks_cluster, and render "
                "again."
            )


def _eks(run: Run) -> NodesInEks:
    return cast("NodesInEks", cast("HyperPod", run.bundle.service).eks)
