"""PCS, EKS, EC2 and SageMaker HyperPod: clusters, groups of nodes, and nodes that come later."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clustergen.base.text_lists import words
from tests.support.cloud.answers import Refused, Request

if TYPE_CHECKING:
    from tests.support.cloud.account import Account

ARRIVAL = 30
"""Seconds until an instance runs."""
FIXED_MEMBERS = words("""
    InstanceType ExecutionRole ThreadsPerCore OverrideVpcConfig CapacityRequirements
""")
"""What UpdateCluster cannot change in an instance group of HyperPod."""
_SHOWN = (*FIXED_MEMBERS, "LifeCycleConfig", "InstanceStorageConfigs")
OWNER_ROLE = "arn:aws:iam::111122223333:role/owner"
DELETION = 45
"""Seconds until a quota of HyperPod is gone."""
CHECKS = 300
"""Seconds that deep health checks of HyperPod take, after the cluster is in service."""
_AFTER = {"gone": "", "rolled": "InService"}
"""The status after an operation whose end is another."""
LIFE_OF_BROKEN = 60
"""Seconds until PCS ends an instance whose scripts failed."""


@dataclass(slots=True)
class Group:
    """A node group of PCS or EKS."""

    name: str
    minimum: int
    maximum: int
    desired: int = 0
    since: float = 0
    status: str = "ACTIVE"


class Pcs:
    """Compute node groups, whose instances EC2 knows by tag."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.groups: dict[str, Group] = {}
        self.clusters: dict[str, tuple[str, str]] = {}
        """Status and Slurm version by id, of those that no stack created."""
        self.rejects_changes = False
        """Of node groups, as of those whose Capacity Block has ended."""

    def get_cluster(self, request: Request) -> Any:
        id = request.one("cluster-identifier")
        if id not in self.clusters:
            raise Refused("ResourceNotFoundException", f"{id} was not found")
        status, version = self.clusters[id]
        return {"cluster": {"id": id, "status": status, "scheduler": {"version": version}}}

    def list_compute_node_groups(self, request: Request) -> Any:
        return {"computeNodeGroups": [{"name": g.name, "id": id} for id, g in self.groups.items()]}

    def get_compute_node_group(self, request: Request) -> Any:
        group = self._group(request)
        scaling = {"minInstanceCount": group.minimum, "maxInstanceCount": group.maximum}
        return {"computeNodeGroup": {"scalingConfiguration": scaling, "status": group.status}}

    def update_compute_node_group(self, request: Request) -> Any:
        group = self._group(request)
        if self.rejects_changes:
            raise Refused("ValidationException", "The Capacity Block is not scheduled or active.")
        given = dict(part.split("=") for part in request.one("scaling-configuration").split(","))
        group.minimum, group.maximum = (
            int(given["minInstanceCount"]),
            int(given["maxInstanceCount"]),
        )
        group.since = self.account.clock
        return {}

    def _group(self, request: Request) -> Group:
        id = request.one("compute-node-group-identifier")
        if id not in self.groups:
            raise Refused("ResourceNotFoundException", f"{id} was not found")
        return self.groups[id]

    def instances(self, id: str) -> list[str]:
        """Those that run now."""
        group, clock = self.groups[id], self.account.clock
        if clock - group.since < ARRIVAL or self.account.lacks(group.name):
            return []
        life = int((clock - group.since) // LIFE_OF_BROKEN) if self.account.bad_nodes else 0
        return [f"i-{id}-{life}-{number}" for number in range(group.minimum)]


ENDPOINT = "https://0A1B.gr7.us-east-1.eks.amazonaws.com"
"""Of all EKS clusters, and the one that every context of kubectl reaches."""


class Eks:
    """Clusters and managed node groups."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.groups: dict[str, Group] = {}
        self.addon = True
        self.clusters: set[str] = set()
        self.existing: dict[str, dict[str, Any]] = {
            "training": {"arn": "arn:aws:eks:us-east-1:111122223333:cluster/training"}
        }
        """Those that no stack created: what EKS says of each."""
        self.protected = False
        self.profiles: list[str] = []
        """Of Fargate."""
        self.status = "ACTIVE"
        self.release = "1.35.2-20260714"
        """Of the images of all node groups."""
        self.entries: list[str] = []
        """Who has access besides the access entries of stacks: at least who created the cluster."""

    def list_access_entries(self, request: Request) -> Any:
        stacks = self.account.cloudformation.stacks.values()
        principals = (
            (stack, resource["Properties"]["PrincipalArn"])
            for stack in stacks
            for resource in stack.resources.values()
            if resource["Type"] == "AWS::EKS::AccessEntry"
        )
        of_stacks = [
            stack.parameters[given["Ref"]] if isinstance(given, dict) else given
            for stack, given in principals
        ]
        return {"accessEntries": [*self.entries, *of_stacks]}

    def describe_cluster(self, request: Request) -> Any:
        if given := self.existing.get(request.one("name")):
            return {"cluster": {"status": self.status, **given}}
        if request.one("name") not in self.clusters:
            raise Refused(
                "ResourceNotFoundException", f"No cluster found for name: {request.one('name')}."
            )
        arn = f"arn:aws:eks:us-east-1:111122223333:cluster/{request.one('name')}"
        shown = {"arn": arn, "status": self.status, "deletionProtection": self.protected}
        return {"cluster": {**shown, "endpoint": ENDPOINT}}

    def list_nodegroups(self, request: Request) -> Any:
        return {"nodegroups": list(self.groups)}

    def list_fargate_profiles(self, request: Request) -> Any:
        return {"fargateProfileNames": self.profiles}

    def describe_nodegroup(self, request: Request) -> Any:
        name = request.one("nodegroup-name")
        if name not in self.groups:
            raise Refused("ResourceNotFoundException", f"No node group found for name: {name}.")
        group = self.groups[name]
        scaling = {"minSize": group.minimum, "maxSize": group.maximum, "desiredSize": group.desired}
        shown = {"scalingConfig": scaling, "status": group.status, "releaseVersion": self.release}
        resources = {"autoScalingGroups": [{"name": f"eks-{name}"}]}
        return {"nodegroup": {**shown, "resources": resources}}

    def instances(self, scaled: str) -> list[str]:
        """Those of an Auto Scaling group."""
        name = scaled.removeprefix("eks-")
        return [f"i-{name}-{number}" for number in range(self.groups[name].desired)]

    def update_nodegroup_config(self, request: Request) -> Any:
        group = self.groups[request.one("nodegroup-name")]
        given = dict(part.split("=") for part in request.one("scaling-config").split(","))
        group.minimum = int(given.get("minSize", group.minimum))
        group.desired = int(given["desiredSize"])
        return {}

    def take(self, properties: dict[str, Any], parameters: dict[str, str]) -> None:
        """What CloudFormation sends with any change: sizes that others set are lost."""
        name, scaling = properties["NodegroupName"], properties.get("ScalingConfig", {})

        def size(key: str) -> int:
            given = scaling.get(key, 1)
            return int(parameters.get(given["Ref"], 0) if isinstance(given, dict) else given)

        self.groups[name] = Group(name, size("MinSize"), size("MaxSize"), size("DesiredSize"))

    def describe_addon(self, request: Request) -> Any:
        if not self.addon:
            raise Refused("ResourceNotFoundException", "No addon found")
        return {"addon": {"status": "ACTIVE"}}

    def update_kubeconfig(self, request: Request) -> Any:
        """The command looks at the status itself."""
        if self.status not in ("ACTIVE", "UPDATING"):
            raise Refused("EKSClusterError", f"Cluster status is {self.status}")
        return {}


@dataclass(slots=True)
class Theirs:
    """A HyperPod cluster of others: its name, its groups, and what DescribeCluster shows of it."""

    name: str
    groups: dict[str, int]
    shown: dict[str, Any]
    roles: dict[str, dict[str, Any]] = field(default_factory=dict)
    """SlurmConfig by group."""

    def check(self, cluster: str, groups: set[str], members: set[str]) -> None:
        """:raises AssertionError: if an update would change what is not the bundle's."""
        if cluster != self.name:
            raise Refused("ResourceNotFound", f"Cluster with name {cluster} could not be found.")
        assert not groups & set(self.groups), f"groups of others: {groups & set(self.groups)}"
        assert members <= {"ClusterName", "InstanceGroups"}, f"members of the cluster: {members}"


@dataclass(slots=True)
class HyperPod:
    """The one HyperPod cluster of an account, and its task governance."""

    account: Account
    status: str = ""
    until: float = 0
    next: str = ""
    failure: str = ""
    groups: dict[str, int] = field(default_factory=dict)
    minimums: dict[str, int] = field(default_factory=dict)
    current: dict[str, int] = field(default_factory=dict)
    tags: list[Any] = field(default_factory=list)
    governed: dict[str, dict[str, Any]] = field(default_factory=dict)
    undeletable: set[str] = field(default_factory=set)
    checked: dict[str, float] = field(default_factory=dict)
    """By group: until when deep health checks of new nodes run."""
    endless: dict[str, int] = field(default_factory=dict)
    """By group: nodes that do not end."""
    request: dict[str, Any] = field(default_factory=dict)
    """The request that created the cluster."""
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By group: what the last update sent."""
    deleting: dict[str, float] = field(default_factory=dict)
    """By group: until when it is being deleted, while the cluster is in service."""
    lingers: float = 0
    """Seconds that this takes; 0 if the cluster is updating meanwhile."""
    others: str = ""
    """What HyperPod reports of an update of others after the next one of the bundle."""
    stale: str = ""
    """What HyperPod goes on to report of an earlier update."""
    theirs: Theirs | None = None
    """The cluster existed before; the bundle may change nothing of it."""
    plans: dict[str, str] = field(default_factory=dict)
    """The status of training plans by name; others are active."""

    def create_cluster(self, request: Request) -> Any:
        if self.status:
            raise Refused("ResourceInUse", "The cluster exists")
        self._take(request, "Creating", 90)
        self.request = json.loads(self.account.text_of(request.one("cli-input-json")))
        return {}

    def update_cluster(self, request: Request) -> Any:
        if self.status != "InService":
            raise Refused("ConflictException", f"The cluster is {self.status}")
        if self._checking():
            raise Refused("ConflictException", "Deep health checks are in progress")
        if deleted := request.options.get("instance-groups-to-delete"):
            self._delete(request.one("cluster-name"), deleted)
            return {}
        if self.theirs:
            given = json.loads(self.account.text_of(request.one("cli-input-json")))
            names = {group["InstanceGroupName"] for group in given["InstanceGroups"]}
            self.theirs.check(given["ClusterName"], names, set(given))
            if self.failure:
                self.status, self.next, self.until = "Updating", "rolled", self.account.clock + 60
                return {}
        self._take(request, "Updating", 60)
        return {}

    def describe_training_plan(self, request: Request) -> Any:
        return {"Status": self._plan(request.one("training-plan-name"))}

    def _plan(self, arn: str) -> str:
        return self.plans.get(arn.rpartition("/")[2], "Active")

    def join(self, theirs: Theirs) -> None:
        """Let there be a cluster of others."""
        self.theirs, self.status = theirs, "InService"
        self.request = dict(theirs.shown)
        self.groups, self.current = dict(theirs.groups), dict(theirs.groups)

    def _delete(self, cluster: str, names: list[str]) -> None:
        if self.theirs:
            self.theirs.check(cluster, set(names), set())
        if unknown := set(names) - set(self.groups):
            raise Refused("ValidationException", f"no instance groups {unknown}")
        self.stale = self.others or self.stale
        if self.lingers:
            self.deleting = dict.fromkeys(names, self.account.clock + self.lingers)
            return
        if set(names) & self.undeletable:
            self.failure = "Instance groups could not be deleted"
        else:
            self._forget(set(names))
        self.status, self.next, self.until = "Updating", "InService", self.account.clock + 60

    def _take(self, request: Request, status: str, seconds: int) -> None:
        given = json.loads(self.account.text_of(request.one("cli-input-json")))
        plans = {self._plan(g.get("TrainingPlanArn", "")) for g in given["InstanceGroups"]}
        if plans & {"Expired", "Failed"}:
            raise Refused("ValidationException", "The training plan is not active or scheduled")
        self.status, self.next = status, "Failed" if self.failure else "InService"
        self.until = self.account.clock + seconds
        for group in given["InstanceGroups"]:
            name, count = group["InstanceGroupName"], int(group["InstanceCount"])
            before = self.sent.get(name, group)
            if changed := [each for each in FIXED_MEMBERS if before.get(each) != group.get(each)]:
                raise Refused("ValidationException", f"{name}: {changed} cannot change")
            self.sent[name] = group
            if group.get("OnStartDeepHealthChecks") and count > self.groups.get(name, 0):
                self.checked[name] = self.until + CHECKS
            self.groups[name] = count
            self.minimums[name] = int(group.get("MinInstanceCount", 0))

    def _forget(self, names: set[str]) -> None:
        self.groups = {name: n for name, n in self.groups.items() if name not in names}
        self.sent = {name: sent for name, sent in self.sent.items() if name not in names}

    def _checking(self) -> set[str]:
        return {name for name, until in self.checked.items() if self.account.clock < until}

    def advance(self) -> None:
        if self.next and self.until <= self.account.clock:
            self.status, self.next = _AFTER.get(self.next, self.next), ""
            self.stale = self.others or self.stale
        gone = {name for name, until in self.deleting.items() if until <= self.account.clock}
        self._forget(gone)
        for name in gone:
            del self.deleting[name]
        if self.status == "InService" and self.until + 30 <= self.account.clock:
            self.current = {
                group: self._late(group) if self._lacks(group) else count
                for group, count in self.groups.items()
            } | self.endless
        if not self.status:
            self.groups, self.current = {}, {}
        for key, entry in list(self.governed.items()):
            if entry["Status"] == "Deleting" and entry["until"] <= self.account.clock:
                del self.governed[key]

    def _lacks(self, group: str) -> bool:
        plan = self._plan(self.sent.get(group, {}).get("TrainingPlanArn", ""))
        return self.account.lacks(group) or plan != "Active"

    def _late(self, group: str) -> int:
        return min(self.minimums.get(group, 0), self.groups[group])

    def list_clusters(self, request: Request) -> Any:
        return {"ClusterSummaries": [{"ClusterName": n} for n in self.account.clusters_of_others]}

    def describe_cluster(self, request: Request) -> Any:
        if other := self.account.clusters_of_others.get(request.one("cluster-name")):
            return {"ClusterArn": "arn", **other}
        self._known()
        if self.theirs and request.one("cluster-name") != self.theirs.name:
            raise Refused("ResourceNotFound", "Cluster with that name could not be found.")
        roles = self.theirs.roles if self.theirs else {}
        return {
            "NodeProvisioningMode": self.request.get("NodeProvisioningMode"),
            "VpcConfig": self.request.get("VpcConfig"),
            "ClusterStatus": self.status,
            "FailureMessage": self.failure or self.stale or None,
            "Orchestrator": self.request.get("Orchestrator"),
            "ClusterArn": "arn:aws:sagemaker:us-east-1:111122223333:cluster/abc123",
            "InstanceGroups": [
                {
                    "InstanceGroupName": name,
                    "CurrentCount": self.current.get(name, 0),
                    "TargetCount": count,
                    "MinCount": self.minimums.get(name) or None,
                    "Status": "Deleting" if name in self.deleting else "InService",
                    "ExecutionRole": OWNER_ROLE,
                    **{each: sent[each] for each in _SHOWN if each in sent},
                    **({"SlurmConfig": roles[name]} if name in roles else {}),
                }
                for name, count in self.groups.items()
                for sent in (self.sent.get(name, {}),)
            ],
        }

    def list_cluster_nodes(self, request: Request) -> Any:
        self._known()
        status = "Failure" if self.failure or self.account.no_capacity else "Running"
        checking = dict.fromkeys(self._checking(), "DeepHealthCheckInProgress")
        return {
            "ClusterNodeSummaries": [
                {
                    "InstanceGroupName": name,
                    "InstanceId": f"i-{name}",
                    "InstanceStatus": {"Status": checking.get(name, status)},
                }
                for name in self.groups
            ]
        }

    def batch_replace_cluster_nodes(self, request: Request) -> Any:
        ids = request.options["node-ids"]
        if self.account.refusal:
            failed = {"NodeId": ids[0], "ErrorCode": "InstanceIdNotFound"}
            return {"Failed": [{**failed, "Message": self.account.refusal}]}
        self.account.ended |= {*ids}
        return {"Successful": ids}

    def list_cluster_events(self, request: Request) -> Any:
        self._known()
        if self.request.get("NodeProvisioningMode") != "Continuous":
            raise Refused("ValidationException", "NodeProvisioningMode is not Continuous")
        if not self.account.no_capacity:
            return {"Events": []}
        return {
            "Events": [
                {
                    "EventId": f"e-{group}",
                    "EventTime": "2026-11-22T00:00:00Z",
                    "EventLevel": "Error",
                    "InstanceGroupName": group,
                    "Description": "Instance group scaling failed",
                }
                for group in self.groups
            ]
        }

    def describe_cluster_event(self, request: Request) -> Any:
        words = "Insufficient capacity for ml.p5en.48xlarge"
        metadata = {"InstanceGroupScaling": {"FailureMessage": words}}
        return {"EventDetails": {"EventDetails": {"EventMetadata": metadata}}}

    def delete_cluster(self, request: Request) -> Any:
        self._known()
        assert not self.theirs, "the cluster of others"
        self.status, self.next, self.until = "Deleting", "gone", self.account.clock + 60
        return {}

    def add_tags(self, request: Request) -> Any:
        assert not self.theirs, "the cluster of others"
        # A script has them as JSON.
        given = request.one("tags")
        pairs = request.pairs("tags", "Key", "Value").items() if given[0] != "[" else ()
        self.tags = [{"Key": k, "Value": v} for k, v in pairs] or json.loads(given)
        return {"Tags": self.tags}

    def _known(self) -> None:
        if not self.status:
            raise Refused("ResourceNotFound", "Cluster with name example could not be found.")

    # Task governance: compute quotas and one scheduler configuration.
    def govern(self, request: Request) -> Any:
        verb, _, noun = request.operation.partition("-")
        singular = noun.removesuffix("s")
        kind = "".join(word.capitalize() for word in singular.split("-"))
        if verb == "list":
            found = [each for each in self.governed.values() if each["kind"] == kind]
            known = "Name", "Status", f"{kind}Id", f"{kind}Version"
            return {f"{kind}Summaries": [{name: each[name] for name in known} for each in found]}
        if verb == "create":
            name = request.one("name")
            given = json.loads(self.account.text_of(request.one("cli-input-json")))
            entry = {**given, "kind": kind, "Name": name, "Status": "Created"}
            entry |= {f"{kind}Id": f"id-{name}", f"{kind}Version": 1}
            self.governed[f"id-{name}-{kind}"] = entry
            return {}
        key = f"{request.one(f'{singular}-id')}-{kind}"
        if verb == "delete":
            quotas = [each for each in self.governed.values() if each["kind"] == "ComputeQuota"]
            if kind != "ComputeQuota" and quotas:
                raise Refused("ConflictException", "The cluster has compute quotas")
            until = self.account.clock + DELETION
            status = "DeleteFailed" if key in self.undeletable else "Deleting"
            self.governed[key] |= {"Status": status, "until": until}
            return {}
        if verb == "update":
            given = json.loads(self.account.text_of(request.one("cli-input-json")))
            self.governed[key] |= {**given, "Status": "Updated"}
            return {}
        shown = {**self.governed[key], **self.account.governance}
        return {name: value for name, value in shown.items() if name not in ("kind", "until")}
