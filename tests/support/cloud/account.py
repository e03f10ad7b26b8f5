"""What there is in an account, and what goes wrong there."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.cloud import parallelcluster, programs
from tests.support.cloud.answers import Done, Pages, Refused, Request, halves, printed, read
from tests.support.cloud.batch import Batch
from tests.support.cloud.clusters import Eks, Group, HyperPod, Pcs
from tests.support.cloud.scheduler import Scheduler
from tests.support.cloud.stacks import CloudFormation, Stack, log_groups

EKS_CLUSTER_ARN = "arn:aws:eks:us-east-1:111122223333:cluster/example"
EXPIRED = ("ExpiredTokenException", "The security token included in the request is expired")
INTERRUPTED = ("Ctrl-C", "Interrupted")
THROTTLED = ("ThrottlingException", "Rate exceeded")


@dataclass(slots=True)
class Fault:
    """What calls with these words are answered, so often; no code: an answer without content."""

    words: str
    code: str
    message: str
    times: int
    after: int = 0
    """How many such calls go well before."""
    done: bool = False
    """Whether the service has done it, and only the answer is another one."""
    lasting: bool = False
    """Every later call fails as well, as with an expired token."""
    second: bool = False
    """The answer has two pages: the first is empty, and the second is this fault, if it has a code,
    else the answer."""

    def meets(self, call: str) -> bool:
        return self.words in call


class _Broken(Pages):
    """Pages of which one is refused."""

    def __init__(self, pages: list[Any], refused: Refused) -> None:
        super().__init__(pages)
        self._refused = refused

    def __iter__(self) -> Iterator[Any]:
        yield from super().__iter__()
        raise self._refused


@dataclass
class Account:
    """One account, in one region, for one cluster."""

    clock: float = 0
    number: str = "111122223333"
    calls: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    interfaces: list[dict[str, Any]] = field(default_factory=list)
    """What has a security group of the foundation."""
    neighbours: list[dict[str, Any]] = field(default_factory=list)
    """What else is in its VPC."""
    naming: list[tuple[str, str]] = field(default_factory=list)
    """Security groups with rules that name the foundation's, each after `egress.` or nothing."""
    broken: dict[str, str] = field(default_factory=dict)
    """Logical id of a resource that cannot be made, and why."""
    stuck: dict[str, str] = field(default_factory=dict)
    """Logical id of a resource that cannot be deleted, and why."""
    no_capacity: bool = False
    blocks: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Id of a Capacity Block -> its state and beginning."""
    none_for: str = ""
    """The one group of HyperPod that gets no nodes."""
    bad_nodes: bool = False
    """Nodes fail some minutes after they run."""
    values: dict[str, str] = field(default_factory=lambda: {"EksClusterArn": EKS_CLUSTER_ARN})
    """Outputs of stacks with a value of their own."""
    hidden: set[str] = field(default_factory=set)
    """Outputs that no stack has."""
    answers: dict[str, Any] = field(default_factory=dict)
    """By service and operation: what else is asked, such as `ec2 describe-subnets`."""
    governance: dict[str, str] = field(default_factory=dict)
    clusters_of_others: dict[str, dict[str, Any]] = field(default_factory=dict)
    """HyperPod clusters of other bundles by name: what DescribeCluster shows."""
    newest_image: str = "ami-0a1b2c3d4e5f60001"
    cni: str = "602401143452.dkr.ecr.us-east-1.amazonaws.com/amazon-k8s-cni:v1.20.4-eksbuild.1"
    """The image of the VPC CNI."""
    spot_role: bool = False
    closed_default_group: bool = False
    """The default security group of the VPC does not admit itself."""
    default_group_to: tuple[str, ...] = ("world",)
    """What its rules let out to: the world or itself."""
    log_groups: set[str] = field(default_factory=set)
    events: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What was logged, by log group."""
    objects: dict[str, bytes] = field(default_factory=dict)
    versions: dict[str, bytes] = field(default_factory=dict)
    """What was put with PutObject, by version."""
    caller: str = "arn:aws:sts::111122223333:assumed-role/deployer/me"
    allows: Callable[[Request], bool] = lambda _request: True
    """Whether the policies of who runs the scripts allow a call."""
    cwd: Path = Path()
    releases: set[str] = field(default_factory=set)
    pending: set[str] = field(default_factory=set)
    applied: set[str] = field(default_factory=set)
    pools: dict[str, str] = field(default_factory=dict)
    """Node pools of Karpenter, and who made each."""
    eks_name: str = "example"
    """The cluster for which Karpenter has made nodes."""
    addresses: dict[str, str] = field(default_factory=dict)
    printed: str = ""
    """What pods have printed."""
    drained: set[str] = field(default_factory=set)
    """Nodes that get no more jobs."""
    ended: set[str] = field(default_factory=set)
    """Nodes that were replaced."""
    refusal: str = ""
    """Why commands on nodes fail."""
    claims: dict[str, str] = field(default_factory=dict)
    """Nodes of Karpenter, and their pools."""

    def __post_init__(self) -> None:
        self.cloudformation = CloudFormation(self)
        self.pcs, self.eks, self.hyperpod = Pcs(self), Eks(self), HyperPod(self)
        self.batch = Batch(self)
        self.scheduler = Scheduler(self)
        self.pcluster = parallelcluster.Pcluster(self)
        self.git = programs.Git()

    def fail(self, words: str, answer: tuple[str, str], times: int = 1, after: int = 0) -> None:
        """Let calls that hold ``words`` fail."""
        self.faults.append(Fault(words, *answer, times, after))

    def calling(self, *words: str) -> list[str]:
        """The calls that hold all these words."""
        return [call for call in self.calls if all(word in call for word in words)]

    def forget_calls(self) -> None:
        self.calls.clear()

    def output(self, name: str) -> str:
        return self.values.get(name, f"{name.lower()}-0a1b")

    def lacks(self, group: str) -> bool:
        """Whether there is no capacity for a group."""
        return self.no_capacity or group == self.none_for

    def run(self, program: str, words: list[str], cwd: Path) -> Done:
        """Answer one command."""
        self.cwd = cwd
        if program == "sleep":
            self.clock += float(words[0])
            self._advance()
            return Done()
        call = " ".join([program, *words])
        self.calls.append(call)
        fault = self._fault(call)
        if program == "aws":
            return self._aws(words, fault)
        if program == "pcluster":
            return self.pcluster.run(words, fault)
        if fault:
            failed = fault.code or fault.message
            return Done(1, err=f"{fault.message}\n") if failed else Done()
        return programs.run(self, program, words)

    def _advance(self) -> None:
        self.cloudformation.advance()
        self.hyperpod.advance()
        self.pcluster.advance()

    def _fault(self, call: str) -> Fault | None:
        for fault in self.faults:
            if fault.times and fault.meets(call):
                if fault.after:
                    fault.after -= 1
                    continue
                fault.times -= 1
                if fault.lasting:
                    self.faults.insert(0, Fault("", fault.code, fault.message, fault.times))
                return fault
        return None

    def _aws(self, words: list[str], fault: Fault | None) -> Done:
        request = read(words)
        first = ""
        try:
            if fault and fault.second:
                pages = Pages(halves(request, self._data(request)))
                first = printed(request, Pages(pages[:1]))
                if not fault.code:
                    return Done(out=printed(request, pages))
            if fault and fault.code:
                raise Refused(fault.code, fault.message)
            if not self.allows(request):
                raise Refused("AccessDenied", f"no policy allows {' '.join(words)}")
            return Done(out=printed(request, {}) if fault else self._answer(request))
        except Refused as rejection:
            name = "".join(word.capitalize() for word in request.operation.split("-"))
            return Done(
                254,
                first,
                f"\nAn error occurred ({rejection.code}) when calling the {name} operation: "
                f"{rejection.message}\n",
            )

    def call(self, words: list[str], cwd: Path) -> Any:
        """The answer to a call, before a command prints it; several pages, if it has them.

        :raises Refused: in place of an answer.
        """
        self.cwd = cwd
        self.calls.append(" ".join(words))
        fault, request = self._fault(" ".join(words)), read(words[1:])
        if fault and fault.second:
            return self._halved(fault, request)
        if fault and fault.code == INTERRUPTED[0]:
            if fault.done:
                self._data(request)
            raise KeyboardInterrupt
        if fault and fault.code:
            raise Refused(fault.code, fault.message)
        if not self.allows(request):
            raise Refused("AccessDenied", f"no policy allows {' '.join(words)}")
        return {} if fault else self._data(request)

    def _halved(self, fault: Fault, request: Request) -> Any:
        pages = Pages(halves(request, self._data(request)))
        return pages if not fault.code else _Broken(pages[:1], Refused(fault.code, fault.message))

    def _answer(self, request: Request) -> str:
        own = f"{request.service} {request.operation}"
        if request.service == "s3" and own not in self.answers:
            return self._s3(request)
        return printed(request, self._data(request))

    def _data(self, request: Request) -> Any:
        own = f"{request.service} {request.operation}"
        return self.answers[own] if own in self.answers else self._operation(request)(request)

    def _operation(self, request: Request) -> Callable[[Request], Any]:
        services = {
            "batch": self.batch,
            "cloudformation": self.cloudformation,
            "pcs": self.pcs,
            "eks": self.eks,
            "sagemaker": self.hyperpod,
        }
        service: Any = services.get(request.service, self)
        name = request.operation.replace("-", "_")
        if request.service == "sagemaker" and not hasattr(service, name):
            name = "govern"
        found: Callable[[Request], Any] = getattr(service, name)
        return found

    # Services of which little is asked.
    def get_login_password(self, request: Request) -> Any:
        return "a password"

    def head_object(self, request: Request) -> Any:
        found = self._object(f"{request.one('bucket')}/{request.one('key')}")
        return {"ContentLength": len(found)}

    def get_object(self, request: Request) -> Any:
        place = f"{request.one('bucket')}/{request.one('key')}"
        return {"Body": io.BytesIO(self._object(place))}

    def delete_object(self, request: Request) -> Any:
        self.objects.pop(f"{request.one('bucket')}/{request.one('key')}", None)
        return {}

    def put_object(self, request: Request) -> Any:
        body = (self.cwd / request.one("body")).read_bytes()
        version = f"v{len(self.versions) + 1}"
        self.objects[f"{request.one('bucket')}/{request.one('key')}"] = body
        self.versions[version] = body
        return {"VersionId": version}

    def _object(self, key: str) -> bytes:
        if key not in self.objects:
            raise Refused("404", f'Key "{key}" does not exist')
        return self.objects[key]

    def _s3(self, request: Request) -> str:
        source, *target = request.words
        if request.operation == "rm":
            self.objects.pop(source.removeprefix("s3://"), None)
        elif target == ["-"]:
            return self._object(source.removeprefix("s3://")).decode()
        elif "recursive" in request.options:
            for path in sorted((self.cwd / source).iterdir()):
                self.objects[target[0].removeprefix("s3://") + path.name] = path.read_bytes()
        else:
            self.objects[target[0].removeprefix("s3://")] = (self.cwd / source).read_bytes()
        return ""

    def get_parameter(self, request: Request) -> Any:
        return {"Parameter": {"Value": self.newest_image}}

    def get_caller_identity(self, request: Request) -> Any:
        return {"Account": self.number, "Arn": self.caller}

    def get_role(self, request: Request) -> Any:
        if not self.spot_role:
            raise Refused(
                "NoSuchEntity", "The role with name AWSServiceRoleForEC2Spot cannot be found."
            )
        return {}

    def create_service_linked_role(self, request: Request) -> Any:
        self.spot_role = True
        return {}

    def describe_log_groups(self, request: Request) -> Any:
        prefix = request.one("log-group-name-prefix")
        found = sorted(name for name in self.log_groups if name.startswith(prefix))
        return {"logGroups": [{"logGroupName": name} for name in found]}

    def delete_log_group(self, request: Request) -> Any:
        self.log_groups.remove(request.one("log-group-name"))
        return {}

    def describe_security_groups(self, request: Request) -> Any:
        """Those with rules that name others; or the default group of a VPC, as EC2 creates it."""
        asked = " ".join(request.options.get("filters", ()))
        if "ip-permission" in asked:
            found = [id for side, id in self.naming if f"Name={side}ip-permission" in asked]
            return {"SecurityGroups": [{"GroupId": id} for id in found]}
        id = "sg-0de1"
        own = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": id}], "IpRanges": []}
        world = {"IpProtocol": "-1", "UserIdGroupPairs": [], "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
        out = {"world": world, "itself": own}
        rules = {
            "IpPermissions": [] if self.closed_default_group else [own],
            "IpPermissionsEgress": [out[each] for each in self.default_group_to],
        }
        return {"SecurityGroups": [{"GroupId": id, **rules}]}

    def describe_capacity_reservations(self, request: Request) -> Any:
        state, start = self.blocks[request.one("capacity-reservation-ids")]
        return {"CapacityReservations": [{"State": state, "StartDate": start}]}

    def describe_volumes(self, request: Request) -> Any:
        return {"Volumes": [{"OpenZFSConfiguration": {"VolumePath": "/fsx/home"}}]}

    def describe_instances(self, request: Request) -> Any:
        """Those that have one of the values of each tag: `Name=tag:KEY,Values=VALUE,VALUE`."""
        filters = dict(each.split(",Values=") for each in request.options["filters"])
        asked = {k.removeprefix("Name=tag:"): v.split(",") for k, v in filters.items() if ":" in k}
        found = [
            {
                "InstanceId": id,
                "State": {"Name": "running"},
                "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
                "PrivateIpAddress": self.address(id),
            }
            for id, tags in self._instances()
            if all(tags.get(key) in values for key, values in asked.items())
        ]
        return {"Reservations": [{"Instances": found}]}

    def _instances(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Ids and tags of all instances that run."""
        for group in self.pcs.groups:
            for id in self.pcs.instances(group):
                yield id, {"aws:pcs:compute-node-group-id": group}
        for group in self.eks.groups:
            for id in self.eks.instances(f"eks-{group}"):
                yield id, {"aws:autoscaling:groupName": f"eks-{group}"}
        for name, pool in self.claims.items():
            own = {"karpenter.sh/nodepool": pool, f"kubernetes.io/cluster/{self.eks_name}": "owned"}
            yield f"i-{name}", own

    def address(self, id: str) -> str:
        """The address of an instance in its VPC."""
        return self.addresses.setdefault(id, f"10.0.0.{len(self.addresses) + 5}")

    def start_session(self, request: Request) -> Any:
        return {}

    def send_command(self, request: Request) -> Any:
        script = json.loads(request.one("parameters"))["commands"]
        asked = {line.partition("=")[2] for line in script if line.startswith("address=")}
        self.drained |= {id for id, address in self.addresses.items() if address in asked}
        return {"Command": {"CommandId": "0a1b2c3d-0000-0000-0000-000000000000"}}

    def get_command_invocation(self, request: Request) -> Any:
        status = "Failed" if self.refusal else "Success"
        return {"Status": status, "StandardOutputContent": self.refusal or "drained\n"}

    def terminate_instances(self, request: Request) -> Any:
        self.ended |= {*request.options["instance-ids"]}
        return {}

    def update_container_instances_state(self, request: Request) -> Any:
        if self.refusal:
            return {"failures": [{"reason": self.refusal}]}
        self.drained |= {arn.partition("/")[2] for arn in request.options["container-instances"]}
        return {}

    def filter_log_events(self, request: Request) -> Any:
        group = request.one("log-group-name")
        if group not in self.events:
            raise Refused("ResourceNotFoundException", "The specified log group does not exist.")
        return {"events": self.events[group]}

    def list_container_instances(self, request: Request) -> Any:
        only = request.one("filter").rpartition(" ")[2]
        found = [id for id in self.batch.instances if only in id]
        return {"containerInstanceArns": [f"arn/{id}" for id in found]}

    def describe_container_instances(self, request: Request) -> Any:
        asked = request.options["container-instances"]
        ids = [arn.rpartition("/")[2] for arn in asked]
        state = {True: "DRAINING", False: "ACTIVE"}
        found = [{"ec2InstanceId": id, "status": state[id in self.drained]} for id in ids]
        return {"containerInstances": found}

    def describe_network_interfaces(self, request: Request) -> Any:
        asked = " ".join(request.options["filters"])
        found = [*self.interfaces, *(self.neighbours if "Name=vpc-id" in asked else ())]
        return Pages({"NetworkInterfaces": [each]} for each in found)

    def describe_file_systems(self, request: Request) -> Any:
        return {"FileSystems": []}

    # What stacks make and unmake.
    def made(self, stack: Stack, changed: set[str]) -> None:
        self.log_groups |= set(log_groups({"Resources": stack.resources}))
        for name, resource in stack.resources.items():
            properties = resource.get("Properties", {})
            if resource["Type"] == "AWS::Batch::ComputeEnvironment":
                self.batch.take(stack.ids[name], properties)
            if resource["Type"] == "AWS::PCS::ComputeNodeGroup":
                scaling, group = properties["ScalingConfiguration"], properties["Name"]
                least, most = scaling["MinInstanceCount"], scaling["MaxInstanceCount"]
                made = Group(group, least, most, 0, self.clock)
                self.pcs.groups.setdefault(f"pcs-{group}", made)
            elif resource["Type"] == "AWS::EKS::Cluster":
                self.eks.clusters.add(properties["Name"])
                self.eks.protected = bool(properties.get("DeletionProtection"))
            elif resource["Type"] == "AWS::EKS::Nodegroup" and name in changed:
                self.eks.take(properties, stack.parameters)

    def rolled_back(self, stack: Stack, change: dict[str, Any]) -> None:
        """A failed update sends node groups that it has changed what the stack had recorded."""
        for each in change["changes"]:
            if (each["Action"], each["ResourceType"]) == ("Modify", "AWS::EKS::Nodegroup"):
                group = stack.resources[each["LogicalResourceId"]]
                self.eks.take(group["Properties"], stack.parameters)

    def unmade(self, stack: Stack) -> None:
        gone = {
            name: resource
            for name, resource in stack.resources.items()
            if not str(resource.get("DeletionPolicy")).startswith("Retain")
        }
        self.log_groups -= set(log_groups({"Resources": gone}))
        types = {resource["Type"] for resource in stack.resources.values()}
        for resource in stack.resources.values():
            if resource["Type"] == "AWS::PCS::ComputeNodeGroup":
                # Two clusters may have groups of one name; here they are one.
                self.pcs.groups.pop(f"pcs-{resource['Properties']['Name']}", None)
            if resource["Type"] == "AWS::EKS::Nodegroup":
                self.eks.groups.pop(resource["Properties"]["NodegroupName"], None)
        if "AWS::Batch::ComputeEnvironment" in types:
            self.batch.environments.clear()
        if "AWS::EKS::Cluster" in types:
            self.eks.groups.clear()
            self.eks.clusters.clear()

    def text_of(self, argument: str) -> str:
        """The content of ``file://PATH``, relative to where the command runs."""
        return (self.cwd / argument.removeprefix("file://")).read_text()

    def uploaded(self, folder: str) -> dict[str, str]:
        """Name and text of the objects in a folder of the bucket."""
        return {
            key.rpartition("/")[2]: content.decode()
            for key, content in self.objects.items()
            if folder in key
        }


__all__ = ["EXPIRED", "THROTTLED", "Account"]
