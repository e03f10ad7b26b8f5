"""HyperPod clusters, which SageMaker deploys from one request."""

import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import ClassVar, Final

from clustergen.base.artifacts import Json
from clustergen.deployment import (
    bucket,
    filling,
    foundation,
    hyperpod_checks,
    hyperpod_lifecycle,
    hyperpod_requests,
    schedules,
)
from clustergen.deployment.bucket import Rows
from clustergen.deployment.changes import Guard
from clustergen.deployment.cluster import stop_if_shared
from clustergen.deployment.hyperpod_api import MINUTES, groups_of, incomplete
from clustergen.deployment.hyperpod_nodes import HyperPodNodes
from clustergen.deployment.hyperpod_plans import TrainingPlans
from clustergen.deployment.hyperpod_requests import Counts, resized
from clustergen.deployment.hyperpod_watch import Watch
from clustergen.deployment.run import FILLED, Outputs, Run
from clustergen.deployment.world import AGAIN, Stop, at

CREATE: Final = "create-cluster.json"
UPDATE: Final = "update-cluster.json"
_SCALE: Final = "scale-cluster.json"


class HyperPodCluster(HyperPodNodes):
    """A HyperPod cluster of this bundle alone."""

    what: ClassVar[str] = "the cluster to be in service with its nodes"
    files: ClassVar[tuple[str, ...]] = (CREATE, UPDATE)

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.plans = TrainingPlans(run)
        self._paused = False
        self.earlier: list[str] = []
        """The groups whose nodes keep the scripts of an earlier bundle."""
        self.requests: dict[str, Json] = {}
        """What is sent, by the file in the bundle."""
        self._requested: Json = {}
        """What was sent last; nothing if nothing was."""

    @property
    def memory(self) -> str:
        return f"paused/{self.run.bundle.cluster}-hyperpod"

    @cached_property
    def groups(self) -> dict[str, Json]:
        """The instance groups of the bundle, with placeholders for outputs."""
        return groups_of(self._request(UPDATE, {}))

    def exists(self) -> bool:
        return bool(self.api.status())

    # -- before anything changes

    def _request(self, path: str, outputs: Outputs) -> Json:
        """A request of the bundle, with outputs as far as they are known."""
        return self.run.json(path, filling.filled(self.run.text(path), outputs))

    def known(self) -> Outputs:
        """The outputs that requests need, as far as the stacks are there."""
        return foundation.outputs(self.run)

    def check_owner(self) -> None:
        """HyperPod keeps what a cluster was created with, and others have nothing of ours."""
        shown = self.api.describe()
        if not shown:
            return
        self.check_orchestrator(shown)
        request = self._request(CREATE, {})
        hyperpod_checks.check_foundation(self.run, shown, request, self.known())

    def check_orchestrator(self, shown: Json) -> None:
        """The bundle of the other HyperPod target, from the same spec, has the same name."""
        if at(shown, "Orchestrator.Eks.ClusterArn"):
            raise Stop(self.is_orchestrated("EKS"))

    def is_orchestrated(self, other: str) -> str:
        """A sentence about a cluster of the other target."""
        return (
            f"the HyperPod cluster {self.api.name} is orchestrated by {other}, so it belongs to "
            "another bundle. Nothing was changed. Give this spec another name, and render it again."
        )

    def check(self) -> None:
        if self.run.options.rehearses:
            return
        hyperpod_lifecycle.check(self.run, self.service)
        shown = self.api.describe()
        self.check_cluster(shown)
        request = self._request(UPDATE, self.known())
        hyperpod_checks.check_fixed(self.service, shown, request)
        self.plans.read(request)

    def check_cluster(self, shown: Json) -> None:
        """Stop if the request does not fit to the cluster."""
        hyperpod_checks.check_controller(self.service, shown)

    def is_absent(self, group: str) -> bool:
        """Whether a group may lack nodes: its capacity has not started, or has ended.

        Where Karpenter finds no capacity, it tries other groups. It also ends nodes.
        """
        if group in self.service.scaled:
            return True
        dated = group in self.service.compute and schedules.phase(self.run, group) != "during"
        return dated or group in self.plans.undue

    def while_paused(self) -> None:
        """Stop if a pause was not completed; otherwise, no group of it gets nodes before resume."""
        name = self.run.bundle.cluster
        if not self.api.status():
            if not self.run.options.plan:
                bucket.forget(self.run, foundation.outputs(self.run), self.memory)
            return
        rows = self.counts()
        if not rows or any(count != "0" for _, count, _ in rows):
            raise Stop(
                f"{name} is paused, but not all of its groups have zero nodes: run deploy.sh "
                "--pause or --resume first."
            )
        self.run.note(
            f"{name} is paused: its groups stay at zero nodes until deploy.sh --resume, which "
            "restores what they had. Run deploy.sh once more after that if groups are new, or have "
            "another number of nodes."
        )
        self._paused = True

    def is_stopped(self) -> bool:
        return self._paused

    # -- changes

    def review(self, outputs: Outputs) -> Mapping[str, list[Guard]]:
        if self.run.options.rehearses or self.run.options.action != "deploy":
            return {}
        shown = self.api.describe()
        request = self._sized(self._request(UPDATE, outputs), shown)
        told = hyperpod_requests.told_changes(self.api.name, request, shown)
        if told and not self._paused:
            self.run.note(told)
        ended = hyperpod_requests.ended(request, shown)
        what = f"end {', '.join(ended)}, with their jobs"
        return {self.api.name: [Guard("removes-nodes", what)]} if ended else {}

    def _sized(self, request: Json, shown: Json) -> Json:
        """A request without the groups that Karpenter has sized since."""
        others = groups_of(shown).keys() & {*self.service.scaled}
        return hyperpod_requests.only(request, lambda name: name not in others)

    def examine(self, outputs: Outputs) -> None:
        for path in self.files:
            text = filling.fill(self.run, path, outputs) or None
            self.requests[path] = self.run.json(path, text)
        if self.run.options.rehearses:
            return
        if self.service.prefix:
            request, shown = self.requests[UPDATE], self.api.describe()
            self.earlier = hyperpod_lifecycle.earlier(self.service, request, shown)
        if self._paused:
            counts = self._present(self.service.compute)
            self.requests[UPDATE] = resized(self.requests[UPDATE], self.service.compute, counts)
        for path, request in self.requests.items():
            due = hyperpod_requests.only(request, lambda name: name not in self.plans.over)
            self.requests[path] = due
            self.run.write(path, f"{json.dumps(due, indent=2)}\n")

    def change(self, outputs: Outputs) -> None:
        hyperpod_lifecycle.upload(self.run, self.service, outputs)
        if all(groups_of(each) for each in self.requests.values()):
            self.send()

    def send(self) -> None:
        """Create or update the cluster, once HyperPod accepts that."""
        if not self.run.options.rehearses:
            shown = self.api.updatable()
            if shown.get("ClusterStatus") == "Failed":
                self.explain()
                raise Stop(
                    "the cluster is Failed and cannot be updated: read the reason, then run "
                    "deploy.sh --destroy and deploy.sh."
                )
            if shown:
                self.update(self.requests[UPDATE], UPDATE)
                # At once: the next run no longer knows.
                hyperpod_lifecycle.note(self.run, self.service, self.earlier, shown)
                self.api.add_tags(shown)
                return
        self._send_file("sagemaker:CreateCluster", self.requests[CREATE], CREATE)

    def update(self, request: Json, path: str) -> None:
        """Send an update that is in a file in ``.filled``.

        With the present counts of the groups that Karpenter sizes: others would end its nodes.
        """
        counts = self._present(self.service.scaled)
        if counts and not self.run.options.rehearses:
            request = hyperpod_requests.with_counts(request, counts)
            self.run.write(path, f"{json.dumps(request, indent=2)}\n")
        self._send_file("sagemaker:UpdateCluster", request, path)

    def _send_file(self, call: str, request: Json, path: str) -> None:
        self.run.world.send_file(call, request, f"{FILLED}/{path}")
        self._requested = {} if self.run.options.rehearses else request

    # -- nodes

    def explain(self) -> None:
        """Say why it failed."""
        self.api.explain(events=self.service.continuous, among=self.among)

    def lacking(self, shown: Json) -> str:
        """The groups with nodes too few or too many."""
        among = self.among
        groups = groups_of(shown).items()
        mine = (each for name, each in groups if among is None or name in among)
        return incomplete(mine, self.is_absent)

    def rolled_back(self, shown: Json) -> str:
        """The groups whose update HyperPod has undone: they are gone, or as they were."""
        there = groups_of(shown)
        return "".join(
            f" {name} is not as requested"
            for name, group in groups_of(self._sized(self._requested, shown)).items()
            if there.get(name, {}).get("TargetCount") != group.get("InstanceCount")
        )

    def complaint(self, shown: Json, *, complete: bool) -> str:
        """What HyperPod reports of the update: one that was rolled back ends in service, too."""
        del complete
        return shown.get("FailureMessage") or ""

    def wait(self, again: str = AGAIN) -> str:
        if not self._requested:
            return ""
        try:
            self.wait_in_service(again)
        except Stop as stop:
            shown = self.api.describe()
            if shown.get("ClusterStatus") != "InService":
                raise
            lacking = f"{self.lacking(shown)}{self.api.busy(self.among)}".lstrip(", ")
            if not lacking:
                raise
            self.run.tell(stop)
            return f"{lacking}. Run deploy.sh again to wait for them."
        return ""

    def wait_in_service(self, again: str = AGAIN) -> None:
        """Wait until the cluster is in service with its nodes.

        :raises Stop: if it fails, or nodes lack.
        """
        watch = Watch(self.api, self)
        self.run.world.wait(MINUTES, self.what, watch.has_ended, again)
        complete = watch.status == "InService" and not watch.lacking
        if not complete or self.complaint(watch.shown, complete=complete):
            self.explain()
            lacking = f":{watch.lacking}" if watch.lacking else ""
            status = watch.status or "deleted"
            raise Stop(
                f"{self.api.name} is {status}, and not as requested{lacking}. Run this again."
            )

    def report(self) -> list[list[str]]:
        if self.run.options.rehearses:
            return []
        shown = self.api.describe()
        self.api.tell_of_left(name for name in self.present(shown) if name not in self.groups)
        return [[node.group, node.id, node.state] for node in self.nodes()]

    # -- pauses

    def _present(self, names: Collection[str]) -> Counts:
        """Count and minimum of those of these groups that the cluster has."""
        if not names:
            return {}
        shown = self.api.describe()
        own = self.present(shown)
        return hyperpod_requests.counts(shown, [name for name in names if name in own])

    def counts(self) -> Rows:
        if self.run.options.rehearses:
            return [[name, "0", "0"] for name in self.service.compute]
        found = self._present(self.service.compute)
        return [[name, str(n), str(least)] for name, (n, least) in found.items()]

    def stop(self, rows: Rows) -> None:
        if self._scale({name: (0, 0) for name, *_ in rows}):
            self.wait_in_service()

    def start(self, rows: Rows) -> None:
        scaled = self._scale({name: (int(count), int(least)) for name, count, least in rows})
        # Without all the nodes, HyperPod undoes the update: the cluster is still paused then.
        if scaled and not self.service.continuous:
            self.wait_in_service()

    def _scale(self, counts: Counts) -> bool:
        """Scale groups; whether some are left to scale."""
        if self.run.options.rehearses:
            if counts:
                self.update(self._request(_SCALE, {}), _SCALE)
            return False
        self.plans.read(self._request(UPDATE, {}))
        left = self._left(counts)
        if not left:
            return False
        request = resized(self._request(_SCALE, {}), self.service.compute, left)
        request = hyperpod_requests.as_deployed(request, self.api.describe())
        whole = f"{json.dumps(request, indent=2)}\n"
        text = filling.fill_text(self.run, _SCALE, whole, self.known())
        self.begin()
        self.update(json.loads(text), _SCALE)
        return True

    def begin(self) -> Json:
        """Wait until HyperPod accepts an update; the cluster then."""
        return self.api.updatable()

    def _left(self, counts: Counts) -> Counts:
        """Without groups that the cluster no longer has, or the spec, or whose plan has ended."""
        there = self._present(self.service.compute)
        for name in sorted(counts.keys() - there.keys()):
            self.run.note(
                f"The instance group {name} is not in the spec, or no longer in {self.api.name}: "
                "it is left as it is."
            )
        return {n: c for n, c in counts.items() if n in there and n not in self.plans.over}

    # -- deletion

    def check_alone(self) -> None:
        """HyperPod deletes a cluster with all its groups, and does not say who added them."""
        if self.run.options.rehearses:
            return
        shown = self.api.describe()
        names = (e["InstanceGroupName"] for e in hyperpod_requests.every_group(shown))
        stop_if_shared(
            [f"the instance group {name}" for name in names if name not in self.groups],
            "Let their owners delete them; those that were in the spec before, you delete so: aws "
            f"--region {self.run.bundle.region} sagemaker update-cluster --cluster-name "
            f"{self.api.name} --instance-groups-to-delete NAME...",
        )

    def delete(self) -> None:
        if self.run.options.rehearses:
            self.run.world.change("sagemaker:DeleteCluster", ClusterName=self.api.name)
        else:
            self.api.delete(self.explain)
