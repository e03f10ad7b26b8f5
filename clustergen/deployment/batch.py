"""Clusters of AWS Batch: compute environments that start nodes for jobs."""

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from clustergen.base.artifacts import Json
from clustergen.deployment import bucket, cloudformation, foundation, printing, schedules
from clustergen.deployment.bucket import Rows
from clustergen.deployment.cluster import each_stopped
from clustergen.deployment.kinds import Batch
from clustergen.deployment.nodes import Node
from clustergen.deployment.run import Outputs
from clustergen.deployment.stack_cluster import StackCluster
from clustergen.deployment.world import AGAIN, Stop

_DESCRIBE = "batch:DescribeComputeEnvironments"
_DESCRIBED = 100
"""Container instances in one request."""


class BatchCluster(StackCluster):
    """A cluster of AWS Batch."""

    node_type: ClassVar[str] = "AWS::Batch::ComputeEnvironment"
    logs_by_node: ClassVar[bool] = False
    unit: ClassVar[str] = "vCPUs of nodes"
    ends_jobs: ClassVar[bool] = False
    numbers: ClassVar[int] = 1

    @property
    def service(self) -> Batch:
        return cast("Batch", self.run.bundle.service)

    def nodes_end(self) -> str:
        return (
            "Batch replaces nodes once their jobs have ended, or at the limit of the environment."
        )

    def check(self) -> None:
        if self.service.multi_node and self.run.bundle.network.vpc:
            self._check_default_group(self.run.bundle.network.vpc)

    def before(self, outputs: Outputs) -> None:
        if self.service.multi_node and not self.run.bundle.network.vpc:
            self._check_default_group(bucket.value(outputs, "VpcId"))

    def _check_default_group(self, vpc: str) -> None:
        """Stop if tasks of multi-node jobs could not reach each other.

        They are in the default security group of the VPC, because launch templates list the
        interfaces of nodes: https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html
        """
        filters = [
            {"Name": "vpc-id", "Values": [vpc]},
            {"Name": "group-name", "Values": ["default"]},
        ]
        call, member = "ec2:DescribeSecurityGroups", "SecurityGroups"
        found = self.run.world.ask_all(call, member, Filters=filters)
        if not found:
            raise Stop(f"the VPC {vpc} has no default security group")
        group = found[0]
        id, command = group["GroupId"], f"aws --region {self.run.bundle.region} ec2"
        if not any(_is_own(rule, id) for rule in group.get("IpPermissions", ())):
            raise Stop(
                f"the default security group {id} of {vpc} does not admit itself, so nodes of a "
                f"job cannot reach each other: {command} authorize-security-group-ingress "
                f"--group-id {id} --ip-permissions "
                f"'IpProtocol=-1,UserIdGroupPairs=[{{GroupId={id}}}]'"
            )
        out = group.get("IpPermissionsEgress", ())
        if any(_is_open(rule) for rule in out):
            return
        if not any(_is_own(rule, id) for rule in out):
            raise Stop(
                f"the default security group {id} of {vpc} lets nothing out, so nodes of a job "
                f"cannot reach each other: {command} authorize-security-group-egress --group-id "
                f"{id} --ip-permissions 'IpProtocol=-1,IpRanges=[{{CidrIp=0.0.0.0/0}}]'"
            )
        self.run.note(
            f"The default security group {id} of {vpc} lets tasks of multi-node jobs reach only "
            "each other: programs that download something fail."
        )

    def settle(self) -> None:
        """States by the time: CloudFormation enables an environment that it changes."""
        known = self.outputs() if self.service.dated else {}
        for group, dated in self.service.dated.items():
            environment = bucket.value(known, dated.output)
            # An update waits for jobs, for hours: the time is looked at after that.
            self._wait(environment, invalid=True)
            phase = schedules.phase(self.run, group)
            if phase == "over":
                self.run.note(f"The capacity of {group} ends, or has ended: no job starts on it.")
            wanted = "ENABLED" if phase == "during" else "DISABLED"
            if self._shown(environment)["state"] != wanted:
                minimum = dated.minimum if wanted == "ENABLED" else 0
                self._set(environment, wanted, minimum)
                self._wait(environment)

    def wait(self, again: str = AGAIN) -> str:
        """An update waits for the jobs of nodes that it replaces."""
        del again
        for environment in self._environments():
            self._make_valid(environment)
        return ""

    def _make_valid(self, environment: str) -> None:
        found = self._wait(environment, invalid=True)
        if found["status"] == "INVALID":
            self._enable_again(environment, found)
            self._wait(environment)

    def _enable_again(self, environment: str, found: Json) -> None:
        """Disable and enable an environment: Batch tries again once the state changes.

        It makes an environment invalid whose nodes do not join, even if S3 or a mirror of packages
        did not answer for a while only. What stops in between is a pause.
        """
        self.run.note(
            f"{environment} is INVALID: {found.get('statusReason')}. This disables and enables it, "
            "so that Batch tries again."
        )
        minimum, outputs = _minimum(found), foundation.outputs(self.run)
        enabled = found["state"] == "ENABLED"
        remembers = enabled and self.recall(outputs) is None
        if remembers:
            bucket.remember(self.run, outputs, self.memory, self.counts())
        self._set(environment, "DISABLED", minimum)
        if enabled:
            self._set(environment, "ENABLED", minimum)
        if remembers:
            bucket.forget(self.run, outputs, self.memory)

    def report(self) -> list[list[str]]:
        for environment in self._environments():
            self._tell_of_images(environment)
        self.run.note("submit.sh submits jobs; verify.sh checks a node of each group.")
        return []

    def _tell_of_images(self, environment: str) -> None:
        """Batch does not say which image it uses, but whether there is a newer one."""
        answer = self.run.world.allowed([], _DESCRIBE, computeEnvironments=[environment])
        for each in (answer or {}).get("computeEnvironments", ()):
            used = each.get("computeResources", {}).get("ec2Configuration", ())
            if any(one.get("batchImageStatus") == "UPDATE_AVAILABLE" for one in used):
                self.run.note(
                    f"Batch has a newer image for the nodes of {environment}; README.md says how "
                    "to change to it."
                )

    def counts(self) -> Rows:
        return [
            [environment, str(_minimum(self._shown(environment)))]
            for environment in self._environments()
        ]

    def stop(self, rows: Rows) -> None:
        """Disable the environments: jobs that run go on; without new ones, their nodes stop."""
        names = [row[0] for row in self._left(rows)]
        each_stopped(self.run, names, lambda name: self._set(name, "DISABLED", 0))

    def start(self, rows: Rows) -> None:
        known = self.outputs() if self.service.dated else {}
        dated = {known.get(each.output) for each in self.service.dated.values()}
        for environment, minimum in self._left(rows):
            if environment not in dated:
                self._set(environment, "ENABLED", int(minimum))

    def _left(self, rows: Rows) -> Rows:
        """The rows of environments that the stack still has."""
        there = self._environments()
        for environment in (row[0] for row in rows if row[0] not in there):
            self.run.note(
                f"{self.stack.name} no longer has the compute environment {environment}: it is "
                "left out."
            )
        return [row for row in rows if row[0] in there]

    def clean_up(self) -> None:
        """Deregister job definitions of submit.sh: they cost nothing, but stay active."""
        for name in self.service.definitions:
            call, member = "batch:DescribeJobDefinitions", "jobDefinitions"
            given = {"jobDefinitionName": name, "status": "ACTIVE"}
            for each in self.run.world.ask_all(call, member, **given) or ():
                # Others may have registered some with the same names.
                if self.service.log_group in _log_groups(each):
                    arn = each["jobDefinitionArn"]
                    self.run.world.change("batch:DeregisterJobDefinition", jobDefinition=arn)

    def count_nodes(self, id: str) -> int:
        """vCPUs of nodes, in place of nodes."""
        return int(self._shown(id).get("computeResources", {}).get("desiredvCpus") or 0)

    def state(self) -> Rows:
        rows = []
        for environment in self._present():
            found = self._shown(environment)
            size = found.get("computeResources", {}).get("desiredvCpus") or 0
            status, why = found.get("status"), found.get("statusReason")
            row = [f"{size} vCPUs", f"{found.get('state')} {status}"]
            row += [] if status == "VALID" else [str(why)]
            rows.append(["group", _short(environment), *row])
        return rows

    def nodes(self) -> Iterator[Node]:
        """The container instances of the ECS cluster that Batch makes for each environment."""
        for environment in self._present():
            # One that is not valid may have none.
            cluster = self._shown(environment).get("ecsClusterArn")
            arns = self._instances(cluster) if cluster else []
            for first in range(0, len(arns), _DESCRIBED):
                some = arns[first : first + _DESCRIBED]
                call, member = "ecs:DescribeContainerInstances", "containerInstances"
                given = {"cluster": cluster, member: some}
                for each in (self.run.world.ask(call, member, **given) or {}).get(member, ()):
                    yield Node(_short(environment), each["ec2InstanceId"], each["status"])

    def _instances(self, cluster: str, **only: str) -> list[str]:
        call, member = "ecs:ListContainerInstances", "containerInstanceArns"
        return self.run.world.ask_all(call, member, cluster=cluster, **only) or []

    def drain(self, node: Node, entrance: Node) -> str:  # noqa: ARG002
        [environment] = [each for each in self._present() if _short(each) == node.group]
        cluster = self._shown(environment)["ecsClusterArn"]
        arns = self._instances(cluster, filter=f"ec2InstanceId == {node.id}")
        given = {"cluster": cluster, "containerInstances": arns}
        call = "ecs:UpdateContainerInstancesState"
        failed = self.run.world.change(call, **given, status="DRAINING").get("failures") or ()
        for each in failed:
            raise Stop(f"ECS does not drain {node.id}: {each.get('reason')}")
        return printing.line(self.run.world.command(call, {**given, "status": "ACTIVE"}))

    def test(self, group: str, entrance: Node | None) -> None:  # noqa: ARG002
        if group:
            raise Stop("verify.sh tests all node groups: leave out --node.")
        share = ["--share", self.service.share] if self.service.share else []
        words, run = ["bash", "verify.sh", *share], self.run
        run.world.screen.command(words)
        if run.world.programs.run(words, run.folder, {}, run.note).status:
            raise Stop("a test has failed, for the reason above. Fix it, and run this again.")

    def log_groups(self) -> list[str]:
        return [self.service.log_group]

    def _present(self) -> list[str]:
        there = cloudformation.resources(self.run.world, self.stack.name)
        ids = (e.get("PhysicalResourceId") for e in there if e["ResourceType"] == self.node_type)
        return [id for id in ids if id]

    def _environments(self) -> list[str]:
        found = self._present()
        if not found:
            raise Stop(
                f"CloudFormation shows no compute environments of {self.stack.name}: deploy the "
                "cluster first, or run this again."
            )
        return found

    def _shown(self, environment: str) -> Json:
        member = "computeEnvironments"
        found = self.run.world.ask_all(_DESCRIBE, member, member, computeEnvironments=[environment])
        if not found:
            raise Stop(f"Batch has no compute environment {environment}")
        shown: Json = found[0]
        return shown

    def _wait(self, environment: str, *, invalid: bool = False) -> Json:
        """Wait until Batch has checked an environment; ``invalid`` is whether it may reject it.

        It can become invalid after its creation, for example if Batch may not use its role.
        """

        def checked() -> Json | None:
            found = self._shown(environment)
            status, reason = found.get("status"), found.get("statusReason")
            if status == "INVALID" and not invalid:
                raise Stop(
                    f"the compute environment {environment} is INVALID: {reason}. Fix this, and "
                    "run the same command again. Its jobs stay RUNNABLE until then."
                )
            if status in ("DELETING", "DELETED"):
                raise Stop(
                    f"the compute environment {environment} is {status}: was it deleted by hand?"
                )
            return found if status in ("VALID", "INVALID") else None

        what = f"the compute environment {environment}"
        return self.run.world.wait(self.service.minutes, what, checked)

    def _set(self, environment: str, state: str, minimum: int) -> None:
        """Batch accepts a change of an invalid environment, too."""
        self._wait(environment, invalid=True)
        self.run.world.change(
            "batch:UpdateComputeEnvironment",
            computeEnvironment=environment,
            state=state,
            computeResources={"minvCpus": minimum},
        )


def _short(environment: str) -> str:
    return environment.rpartition("/")[2]


def _minimum(shown: Json) -> int:
    return int(shown.get("computeResources", {}).get("minvCpus") or 0)


def _is_own(rule: Json, group: str) -> bool:
    pairs = rule.get("UserIdGroupPairs", ())
    return rule.get("IpProtocol") == "-1" and any(p.get("GroupId") == group for p in pairs)


def _is_open(rule: Json) -> bool:
    ranges = rule.get("IpRanges", ())
    return rule.get("IpProtocol") == "-1" and any(r.get("CidrIp") == "0.0.0.0/0" for r in ranges)


def _log_groups(definition: Json) -> Iterator[Any]:
    nodes = (definition.get("nodeProperties") or {}).get("nodeRangeProperties") or ()
    containers = [definition.get("containerProperties"), *(each.get("container") for each in nodes)]
    for container in containers:
        options = ((container or {}).get("logConfiguration") or {}).get("options") or {}
        yield options.get("awslogs-group")
