"""Instance groups that a bundle adds to an existing HyperPod cluster."""

import re
from collections.abc import Collection
from typing import ClassVar, Final

from clustergen.base.artifacts import Json
from clustergen.deployment import bucket, foundation, hyperpod_lifecycle, hyperpod_requests
from clustergen.deployment.hyperpod import UPDATE, HyperPodCluster
from clustergen.deployment.hyperpod_api import RUNNING, groups_of
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.world import Stop, at

_DELETION_MINUTES: Final = 60
_RESTORE: Final = (
    "and restore an earlier version of it: it has the names and roles of the groups that this "
    "bundle has added."
)
_CANNOT: Final = "and cannot accept instance groups."


class ExistingHyperPod(HyperPodCluster):
    """The groups of this bundle in a cluster that exists: nothing else of it is changed."""

    what: ClassVar[str] = "the added instance groups to have their nodes"
    files: ClassVar[tuple[str, ...]] = (UPDATE,)

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._before = ""
        """What HyperPod reported before an update."""
        self._added: set[tuple[str, str]] | None = None
        """Name and role of the groups that this bundle added, once that was read."""

    @property
    def memory(self) -> str:
        return f"paused/{self.run.bundle.cluster}/{self.api.name}"

    @property
    def _record(self) -> str:
        """The key of a list of the groups that this bundle added."""
        return f"instance-groups/{self.run.bundle.cluster}/{self.api.name}"

    @property
    def among(self) -> Collection[str]:
        return self.groups

    def exists(self) -> bool:
        return bool(self.present(self.api.describe()))

    # -- whose groups are

    @property
    def added(self) -> set[tuple[str, str]]:
        """Name and role of the groups that this bundle added; only these are changed or deleted.

        A group with such a name and another role was created by others, after that of this bundle
        was deleted.
        """
        if self._added is None:
            outputs = foundation.outputs(self.run)
            there = bucket.NAME in outputs
            rows = bucket.rows_of(self.run, outputs, self._record, 2, _RESTORE) if there else []
            self._added = {(name, role) for name, role in rows}
        return self._added

    def present(self, shown: Json) -> list[str]:
        there = hyperpod_requests.roles(groups_of(shown).values())
        return [name for name, _ in sorted(self.added & there)]

    def _remember(self, outputs: Outputs, shown: Json) -> None:
        """Before the groups exist: a run that is interrupted then knows its own.

        Those that have been deleted are forgotten.
        """
        there = hyperpod_requests.roles(groups_of(shown).values())
        requested = hyperpod_requests.roles(groups_of(self.requests[UPDATE]).values())
        wanted = requested | (self.added & there)
        if wanted != self.added or self.run.options.rehearses:
            self._added = wanted
            text = "".join(f"{name}\t{role}\n" for name, role in sorted(wanted))
            bucket.put_text(self.run, outputs, self._record, "instance-groups", text)

    def _forget(self) -> None:
        if self.added or self.run.options.rehearses:
            bucket.forget(self.run, foundation.outputs(self.run), self._record)

    # -- before anything changes

    def check_owner(self) -> None:
        shown = self.api.describe()
        if shown:
            self.check_orchestrator(shown)
        if self.run.options.action == "pause" and not self.counts():
            raise Stop(
                f"{self.api.name} has no instance group that this bundle added: run deploy.sh "
                "first."
            )

    def is_orchestrated(self, other: str) -> str:
        return (
            f"the HyperPod cluster {self.api.name} is orchestrated by {other}. Nothing was "
            "changed. Name another cluster, or render the spec for "
            f"hyperpod-{other.lower()}."
        )

    def check_cluster(self, shown: Json) -> None:
        name, status = self.api.name, shown.get("ClusterStatus")
        if not status:
            raise Stop(f"there is no HyperPod cluster {name} in {self.run.bundle.region}.")
        if status in ("Failed", "Deleting"):
            raise Stop(f"the HyperPod cluster {name} is {status} {_CANNOT}")
        # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html
        if not at(shown, "VpcConfig.Subnets.0"):
            raise Stop(
                f"{name} was created without a VPC, so that its groups cannot be in subnets of "
                "yours."
            )
        if self.service.continuous and shown.get("NodeProvisioningMode") != "Continuous":
            raise Stop(
                f"{name} does not provision nodes continuously: write provisioning: all-at-once, "
                "and render again."
            )
        self.check_scheduler(shown)
        self._check_names(shown)
        self._note_partitions(shown)

    def check_scheduler(self, shown: Json) -> None:
        """Stop if the bundle does not fit to what runs jobs in the cluster.

        Who sets up Slurm is a property of the cluster.
        https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-slurm-api-config-migration.html
        """
        name, service = self.api.name, self.service
        types: dict[str, str] = {}
        for group, each in groups_of(shown).items():
            if config := each.get("SlurmConfig"):
                types.setdefault(str(config.get("NodeType")), group)
        if service.by_scripts and types:
            raise Stop(
                f"the API assigns the Slurm roles of {name}: write mode: api, and render again."
            )
        if service.by_scripts:
            self._check_parameters()
        elif not types:
            raise Stop(
                f"{name} sets up Slurm with lifecycle scripts and {service.parameters}: write "
                "mode: legacy and lifecycle, with the folder of those scripts, and render again."
            )
        controller, login = types.get("Controller", ""), types.get("Login", "")
        if service.controller_group and controller != service.controller_group:
            raise Stop(
                f"the controller of {name} is the group {controller or None}: write that as "
                "controller_group, and render again."
            )
        if service.login and login not in ("", service.login):
            raise Stop(
                f"{name} has login nodes, the group {login}, and HyperPod accepts one such group: "
                "remove login from the spec."
            )

    def _check_parameters(self) -> None:
        """The controller learns from this file which nodes are in which partition."""
        file = self.service.parameters
        place, _, key = file.removeprefix("s3://").partition("/")
        call = "s3:GetObject"
        body = self.run.world.need(call, "Body", Bucket=place, Key=key) if file else None
        if body is None:
            raise Stop(f"{file} does not exist; it defines the Slurm partitions.")
        text = re.sub(r"\s", "", body.read().decode(errors="replace"))
        for name in self.service.compute:
            if f'"instance_group_name":"{name}"' not in text:
                raise Stop(
                    f"add the group {name} to worker_groups in {file}, with its partition, and run "
                    "this again."
                )
        login = self.service.login
        if login and f'"login_group":"{login}"' not in text:
            raise Stop(f'write "login_group": "{login}" in {file}, and run this again.')

    def _check_names(self, shown: Json) -> None:
        own = self.present(shown)
        for name in self.among:
            if name in groups_of(shown) and name not in own:
                raise Stop(
                    f"{self.api.name} has an instance group {name}, which this bundle did not add. "
                    "Nothing was changed. Rename the node group in the spec, and render it again."
                )

    def _note_partitions(self, shown: Json) -> None:
        """Partitions may have groups of several owners; whose jobs then run where is no error."""
        own, path = self.present(shown), "SlurmConfig.PartitionNames"
        mine = {name for group in self.groups.values() for name in at(group, path) or ()}
        for name, group in groups_of(shown).items():
            partition = next(iter(at(group, path) or ()), None)
            if name not in own and partition in mine:
                self.run.note(
                    f"The group {name} of {self.api.name} is in the partition {partition}, too: "
                    f"its jobs can run on the nodes of this bundle, and yours on those of {name}."
                )

    # -- changes

    def begin(self) -> Json:
        """A message of HyperPod that was there before says nothing about the update."""
        shown = self.api.updatable()
        if shown.get("ClusterStatus") != "InService":
            status = shown.get("ClusterStatus") or "deleted"
            raise Stop(f"the HyperPod cluster {self.api.name} is {status} {_CANNOT}")
        self._before = shown.get("FailureMessage") or ""
        return shown

    def send(self) -> None:
        request, shown = self.requests[UPDATE], {}
        if not self.run.options.rehearses:
            shown = self.begin()
        self._remember(foundation.outputs(self.run), shown)
        self.update(request, UPDATE)
        hyperpod_lifecycle.note(self.run, self.service, self.earlier, shown)

    def complaint(self, shown: Json, *, complete: bool) -> str:
        found = shown.get("FailureMessage") or ""
        if found and found == self._before:
            self.run.note(f"HyperPod has reported this since before the update: {found}")
            return ""
        if found and complete:
            self.run.note(
                f"HyperPod reports: {found}\n"
                "The instance groups of this bundle have the counts that they should have, so that "
                "this can be about someone else's update."
            )
            return ""
        return found

    # -- deletion

    def check_alone(self) -> None:
        """Only groups that this bundle added are deleted."""

    def delete(self) -> None:
        """Never the cluster, nor its other groups."""
        names = [*self.among]
        if not self.run.options.rehearses:
            names = self.present(self.api.describe())
            if not names:
                self.run.note(
                    f"The HyperPod cluster {self.api.name} has no instance groups that this bundle "
                    "added."
                )
                self._forget()
                return
            self.begin()
        self.run.world.change(
            "sagemaker:UpdateCluster", ClusterName=self.api.name, InstanceGroupsToDelete=names
        )
        if not self.run.options.rehearses:
            what = "the deletion of the instance groups"
            self.run.world.wait(_DELETION_MINUTES, what, self._are_deleted)
        self._forget()

    def _are_deleted(self) -> bool:
        shown = self.api.describe()
        if shown.get("ClusterStatus") in RUNNING:
            return False
        left = self.present(shown)
        if not left:
            return True
        there = groups_of(shown)
        # The message can be about someone else's update meanwhile.
        deleting = any(there[name].get("Status") == "Deleting" for name in left)
        failure = shown.get("FailureMessage") or ""
        if deleting or failure in ("", self._before):
            return False
        self.explain()
        raise Stop(
            f"these instance groups could not be deleted: {', '.join(left)}. Run this again."
        )
