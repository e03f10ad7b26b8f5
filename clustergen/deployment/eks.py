"""Clusters of EKS: managed node groups, software, queues, and nodes of Karpenter."""

import datetime
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar, cast

from clustergen.base.artifacts import Json
from clustergen.deployment import (
    bucket,
    cloudformation,
    eks_owner,
    kubernetes_tests,
    node_group_updates,
    nodes,
    parameters,
    schedules,
    stacks,
)
from clustergen.deployment.administrators import check_administrators, kept_entries
from clustergen.deployment.bucket import Rows
from clustergen.deployment.changes import Change, Guard
from clustergen.deployment.cluster import each_stopped
from clustergen.deployment.eks_sizes import Sizes
from clustergen.deployment.existing_eks import ExistingCluster
from clustergen.deployment.karpenter import Karpenter
from clustergen.deployment.kinds import Eks
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.kueue import Queues
from clustergen.deployment.nodes import Node
from clustergen.deployment.run import SOFTWARE, Outputs
from clustergen.deployment.software.installation import Installation
from clustergen.deployment.stack_cluster import StackCluster
from clustergen.deployment.stacks import ChangeSet, Template
from clustergen.deployment.world import Stop, at


class EksCluster(StackCluster):
    """A cluster of EKS, or node groups in one that exists."""

    node_type: ClassVar[str] = "AWS::EKS::Nodegroup"
    logs_by_node: ClassVar[bool] = False
    present: Mapping[str, int] | None = None
    """The sizes of groups, by name, before the stack recorded them."""

    @property
    def service(self) -> Eks:
        return cast("Eks", self.run.bundle.service)

    @property
    def api(self) -> Kubernetes:
        return Kubernetes(self.run, self.service.eks_cluster)

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.run, self.service)

    @property
    def karpenter(self) -> Karpenter:
        return Karpenter(self.run, self.api, self.service)

    @property
    def existing(self) -> ExistingCluster | None:
        """The cluster that the node groups join; None for a new one."""
        return ExistingCluster(self.run, self.service) if self.service.joins else None

    @property
    def programs(self) -> tuple[str, ...]:
        if self.service.joins or self.service.installs or self.run.options.action in SOFTWARE:
            return ("aws", "kubectl", "helm")
        return ("aws", "kubectl") if self.service.karpenter else ("aws",)

    def nodes_end(self) -> str:
        return (
            "EKS drains nodes; where there is no spare capacity it ends them before others start."
        )

    # -- what people look at every day

    @property
    def eks_cluster(self) -> str:
        return self.service.eks_cluster

    def state(self) -> Rows:
        rows = []
        for name, shown in self._present:
            issues = at(shown, "health.issues") or ()
            words = [f"{each.get('code')}: {each.get('message')}" for each in issues]
            size = f"{at(shown, 'scalingConfig.desiredSize')} nodes"
            rows.append(["group", name, size, str(shown.get("status")), *words])
        return rows

    def nodes(self) -> Iterator[Node]:
        """The instances of Auto Scaling groups, and those of Karpenter."""
        groups = {
            each["name"]: name
            for name, shown in self._present
            for each in at(shown, "resources.autoScalingGroups") or ()
        }
        yield from nodes.tagged(self.run, "aws:autoscaling:groupName", groups)
        pools = {name: name for name in self.service.pools}
        own = {f"kubernetes.io/cluster/{self.service.eks_cluster}": "owned"}
        yield from nodes.tagged(self.run, "karpenter.sh/nodepool", pools, **own)

    def drain(self, node: Node, entrance: Node) -> str:  # noqa: ARG002
        return self.api.cordon(node.id)

    def test(self, group: str, entrance: Node | None) -> None:  # noqa: ARG002
        kubernetes_tests.run(self.api, group)

    @cached_property
    def _present(self) -> list[tuple[str, Json]]:
        """The node groups that exist, by name."""
        own = filter(None, [*self.service.groups, self.service.system_group])
        names = self.existing.owned() if self.existing else own
        found = ((name, self.sizes.shown(name)) for name in names)
        return [(name, shown) for name, shown in found if shown]

    def log_groups(self) -> list[str]:
        return [f"/aws/eks/{self.service.eks_cluster}/cluster"]

    # -- before anything changes

    def check_owner(self) -> None:
        if not self.service.joins:
            eks_owner.check(self.run, self.stack, self.api)

    def check(self) -> None:
        deploys = self.run.options.action == "deploy"
        if existing := self.existing:
            existing.check()
        if deploys:
            self.sizes.check_earlier_nodes()
        if deploys and self.service.installs and (self.service.karpenter or self._left_karpenter()):
            self.karpenter.look_before(self.api.is_up())
        if self.service.admins:
            name = self.service.eks_cluster
            check_administrators(self.run, self.stack, name, self.service.admins)

    def _left_karpenter(self) -> bool:
        """Whether an earlier bundle has left it."""
        if not self.service.leaves_karpenter or self.run.options.rehearses:
            return False
        known = cloudformation.outputs(self.run.world, self.stack.name)
        return "KarpenterNodeRoleName" in known

    # -- the stack

    def known(self, outputs: Outputs) -> Outputs:
        return {**outputs, **(self.existing.facts() if self.existing else {})}

    def parameters(self, known: Outputs) -> Mapping[str, str]:
        """Sizes besides: those that the stack has recorded, or those that EKS has.

        New groups begin without nodes, so that the control plane does not depend on capacity. A
        size alone is not a change, because EKS has it already; all other changes must include it.
        """
        given = dict(parameters.values(self.run, self.stack, known))
        told = self._told()
        present = self.sizes.present() if self.present is None else self.present
        for name, group in self.service.groups.items():
            given[group.parameter] = str(min(present[name], group.most))
            if self.present is None and group.parameter in told:
                given[group.parameter] = told[group.parameter]
        return {**given, **(self.existing.drivers(told) if self.existing else {})}

    def _told(self) -> Mapping[str, str]:
        """The parameters that the stack has; none where none of its resources exists."""
        name = self.stack.name
        if cloudformation.settled_status(self.run.world, name) in cloudformation.UNUSED:
            return {}
        return cloudformation.parameters(self.run.world, name)

    def template(self) -> Template:
        return kept_entries(self.run, self.stack, self.service.entries, super().template())

    def prepared(self, outputs: Outputs) -> bool:
        """Let the stack record the sizes that EKS has, before anything else changes.

        CloudFormation rolls a failed change back to the sizes that the stack has recorded: first
        those of the creation, which are 0. Then change what EKS does not change together with the
        nodes of a group.
        """
        told = self._told()
        deployed = cloudformation.deployed_template(self.run.world, self.stack.name)
        split = node_group_updates.split(self.run, self._change, deployed)
        self.present = self.sizes.present()
        live = {
            group.parameter: (name, self.present[name], group.most)
            for name, group in self.service.groups.items()
        }
        if split:
            live |= self._leaving(split)
        live = {key: found for key, found in live.items() if key in told}
        moved = any(told[key] != str(min(size, most)) for key, (_, size, most) in live.items())
        if moved:
            self._record(told, live, deployed)
        if split:
            given, place = self.parameters(self.known(outputs)), outputs.get(bucket.NAME, "")
            node_group_updates.make(self.run, split, given, place)
        return moved or split is not None

    def _leaving(self, split: node_group_updates.Split) -> Mapping[str, tuple[str, int, int]]:
        made, there = node_group_updates.groups(split.deployed), split.wanted["Resources"]
        gone = [each for id, each in made.items() if id not in there]
        names = {at(e, "ScalingConfig.DesiredSize.Ref"): e.get("NodegroupName") for e in gone}
        known = ((key, name) for key, name in names.items() if key and isinstance(name, str))
        found = ((key, name, self.sizes.scaling(name)) for key, name in known)
        ready = ("ACTIVE", "DEGRADED", "UPDATING")
        return {key: (n, s.desired, s.desired) for key, n, s in found if s and s.status in ready}

    def _record(
        self, told: Mapping[str, str], live: Mapping[str, tuple[str, int, int]], deployed: object
    ) -> None:
        # An overlay's group may have neither a size nor a plain name.
        made = node_group_updates.groups(deployed).values()
        most = {str(each.get("NodegroupName")): at(each, "ScalingConfig.MaxSize") for each in made}
        given: dict[str, str | None] = dict.fromkeys(told)
        for parameter, (name, size, _) in live.items():
            # EKS makes one change of a group at a time.
            self.sizes.active(name)
            # The stack cannot record more than the maximum that it deployed.
            given[parameter] = str(min(size, int(most.get(name) or size)))
        self.run.note(
            f"{self.stack.name} records how many nodes run, so that a failed change ends with as "
            "many."
        )
        stacks.drop(self.run, self.stack.name)
        if found := stacks.create(self.run, self.stack, None, given):
            self.run.agree({self.stack.name: self.guards(found)})
            stacks.execute(self.run, found)

    def end_first(self) -> None:
        if self.existing is None and self._left_karpenter():
            self.karpenter.end()

    def installation(self, outputs: Outputs) -> Installation:
        """What the bundle has in the cluster."""
        own = cloudformation.outputs(self.run.world, self.stack.name)
        known = {**self.known(outputs), **own}
        return Installation(self.api, self.service.software, known)

    def install(self, outputs: Outputs) -> None:
        if self.service.installs:
            self.api.check_access()
            if self.service.karpenter:
                self.karpenter.look_again()
            self.installation(outputs).install()

    def install_software(self, outputs: Outputs) -> None:
        self.api.check_access()
        made = self.installation(outputs)
        if self.run.options.plan or self.existing:
            made.check()
        if not self.run.options.plan:
            made.install()

    def software_of_bundle(self) -> Callable[[], None]:
        if self.existing is None:
            return super().software_of_bundle()
        self.api.check_access()
        return self.existing.remove

    def settle(self) -> None:
        """Request missing nodes, without waiting for them, where there is capacity now."""
        resumes = self.run.options.action == "resume"
        owned = self.existing.owned() if self.existing else [*self.service.groups]
        for name in self.service.dated if resumes else self.service.groups:
            if name in owned:
                self.sizes.settle(name)

    def report(self) -> list[list[str]]:
        for name in self.service.imaged:
            self._tell_of_image(name)
        if not self.service.installs:
            self.run.note("The spec has install: none. deploy.sh --install installs the software.")
        self.run.note(
            f"To use kubectl yourself: aws eks update-kubeconfig --region {self.run.bundle.region} "
            f"--name {self.service.eks_cluster}"
        )
        return []

    def _tell_of_image(self, name: str) -> None:
        """EKS keeps the release of a group, which ends with its date, until its nodes change."""
        names = {"clusterName": self.service.eks_cluster, "nodegroupName": name}
        answer = self.run.world.allowed([], "eks:DescribeNodegroup", **names) or {}
        release = answer.get("nodegroup", {}).get("releaseVersion") or ""
        if match := re.search(r"-(20[0-9]{6})$", release):
            made = datetime.datetime.strptime(match[1], "%Y%m%d").replace(tzinfo=datetime.UTC)
            days = int((self.run.world.clock.time() - made.timestamp()) // 86400)
            self.run.note(
                f"Nodes of {name} start with the image {release}, which is {days} days old; "
                "README.md says how to change to the newest."
            )

    # -- sizes

    def counts(self) -> Rows:
        return self.sizes.rows()

    def stop(self, rows: Rows) -> None:
        if self.service.karpenter or self.service.queues:
            self.api.reach()
        Queues(self.run, self.api, self.service).hold()
        if self.service.karpenter and self.karpenter.is_there():
            self.karpenter.stop()
        names = [row[0] for row in rows if self._may_scale(row[0])]
        each_stopped(self.run, names, lambda name: self.sizes.resize(name, 0, 0))

    def start(self, rows: Rows) -> None:
        for name, minimum, desired in rows:
            if name not in self.service.dated and self._may_scale(name):
                runs = schedules.phase(self.run, name) == "during"
                self.sizes.resize(name, *((int(minimum), int(desired)) if runs else (0, 0)))

    def _may_scale(self, name: str) -> bool:
        if self.existing and not self.run.options.rehearses and name not in self.existing.owned():
            self.run.note(
                f"The node group {name} is not in the stack {self.stack.name}: it keeps its nodes."
            )
            return False
        if self.run.options.rehearses or self.sizes.scaling(name) is not None:
            return True
        self.run.note(f"EKS no longer has the node group {name}: it is left out.")
        return False

    def release(self) -> None:
        if self.service.pools or self.service.queues:
            self.api.reach()
        if self.service.pools and self.karpenter.is_there():
            self.karpenter.start()
        Queues(self.run, self.api, self.service).release()

    # -- deletion

    def check_alone(self) -> None:
        if self.service.joins or self.run.options.rehearses:
            return
        self._check_protection()
        eks_owner.check_alone(self.run, self.stack, self.api)
        if self.service.karpenter and self.api.is_up():
            self.api.reach()
            if self.karpenter.is_there():
                self.karpenter.check_alone()

    def _check_protection(self) -> None:
        """Without the protected control plane, everything else of the cluster would be deleted."""
        if (self.api.describe() or {}).get("deletionProtection"):
            raise Stop(
                "the cluster is protected: write targets.eks.deletion_protection: false, and "
                "deploy once more. If its first deployment has not succeeded: aws eks "
                f"update-cluster-config --region {self.run.bundle.region} --name "
                f"{self.service.eks_cluster} --no-deletion-protection"
            )

    def clean_up(self) -> None:
        if existing := self.existing:
            existing.remove()
        # The stack does not manage Karpenter's nodes: delete them while Karpenter still runs.
        if self.service.karpenter and self.api.is_up():
            self.api.reach()
            if self.karpenter.is_there():
                self.karpenter.delete()

    # -- consent

    def count_nodes(self, id: str) -> int:
        """System nodes run no jobs."""
        if id == self.service.system_group:
            return 0
        return self.sizes.count(id)

    def most_nodes(self, id: str) -> int | None:
        return next((g.most for g in self.service.groups.values() if g.id == id), None)

    def guards(self, found: ChangeSet | None) -> list[Guard]:
        every = super().guards(found)
        stopped = list(self._stopped(found.changes)) if found and not found.creates else []
        return [*stopped, *every]

    def _stopped(self, found: Iterable[Change]) -> Iterator[Guard]:
        """Nodes of Capacity Blocks, which EKS cannot replace.

        https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
        """
        for each in self.renewed(found):
            name = each.physical.rpartition("/")[2]
            if name not in self.service.blocks or not (count := self.count_nodes(name)):
                continue
            self.run.note(
                f"When the jobs of {each.id} have ended: {self.sizes.command(name)} "
                "minSize=0,desiredSize=0\n"
                f"After the deployment, request its nodes again: {self.sizes.command(name)} "
                f"desiredSize={count}"
            )
            what = f"fail: it needs {each.id} scaled to 0 nodes first, and it has {count}"
            yield Guard("refused", what, "EKS cannot replace the nodes of a Capacity Block.")
