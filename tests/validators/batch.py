"""What AWS Batch asks of a template and its job definitions beyond the service model.

Pages of https://docs.aws.amazon.com/batch/latest/userguide/ (read 2026-11-21): [mnp] mnp-ce,
[ranges] multi-node-parallel-jobs, [lt] launch-templates, [update] infrastructure-updates,
[ami] ecs-al2-ami-deprecation, [limits] service_limits, [runnable]
job_stuck_in_runnable_time_limit_actions, [fair] fair-share-scheduling, [efa] efa, [memory]
memory-management; [model] the documentation strings of botocore's model; [ecs]
https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-networking-awsvpc.html.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clustergen.base.text_lists import word_set
from tests.validators.cloudformation.conversion import to_parameters
from tests.validators.cloudformation.intrinsics import Resource, resolve
from tests.validators.instance_types import all_types, gpus
from tests.validators.network_interfaces import interface_violations
from tests.validators.placeholders import resource_id
from tests.validators.service_model import validate
from tests.validators.user_data import parts

Json = Mapping[str, Any]

# [ami]: no new environments with images of Amazon Linux 2 since 2026-06-30.
_IMAGES = {"ECS_AL2023", "ECS_AL2023_NVIDIA"}
_REASONS = {
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
    "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE",
    "MISCONFIGURATION:EC2_INSTANCE_CONFIGURATION_UNSUPPORTED",
    "MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT",
}
_ULIMITS = word_set("""
    core cpu data fsize locks memlock msgqueue nice nofile nproc rss rtprio rttime sigpending stack
""")
_MOST_ENVIRONMENTS, _MOST_RANGES, _MOST_BYTES = 3, 5, 24 * 1024
# [memory]: the agent registers less than EC2's number; leave 5 %.
_MOST_MEMORY = 0.95


@dataclass(frozen=True, slots=True)
class _Environment:
    """A compute environment together with its launch template's data."""

    id: str
    properties: Json
    data: Json

    @property
    def resources(self) -> Json:
        found: Json = self.properties.get("ComputeResources", {})
        return found

    @property
    def facts(self) -> list[Json]:
        names = self.resources.get("InstanceTypes", [])
        return [all_types()[name] for name in names if name in all_types()]

    @property
    def interfaces(self) -> Sequence[Json]:
        found: Sequence[Json] = self.data.get("NetworkInterfaces", [])
        return found

    @property
    def efa(self) -> int:
        return sum(each.get("InterfaceType") in ("efa", "efa-only") for each in self.interfaces)


def batch_violations(
    template: Json, jobs: Mapping[str, Json] | None = None, region: str = "us-east-1"
) -> list[str]:
    """Violations as `logical id or file: message`; empty for a template without Batch.

    `jobs` are inputs of RegisterJobDefinition; those of the template are checked, too.
    """
    try:
        resources = resolve(template, region=region)
    except LookupError as error:
        return [f"template: {error}"]
    environments = _environments(resources)
    given = {**(jobs or {}), **_definitions(resources)}
    return [
        *_of_environments(environments, resources),
        *_of_queues(resources, environments),
        *_of_policies(resources),
        *(f"{name}: {v}" for name, job in given.items() for v in _of_job(job, environments)),
        *_of_roles(resources),
    ]


def _environments(resources: Sequence[Resource]) -> dict[str, _Environment]:
    """Environments by what their Ref gives."""
    templates = {
        resource_id("lt", r.logical_id): r.properties.get("LaunchTemplateData", {})
        for r in resources
        if r.type == "AWS::EC2::LaunchTemplate"
    }
    found = (r for r in resources if r.type == "AWS::Batch::ComputeEnvironment")
    return {
        r.logical_id: _Environment(
            r.logical_id,
            r.properties,
            templates.get(
                r.properties.get("ComputeResources", {})
                .get("LaunchTemplate", {})
                .get("LaunchTemplateId", ""),
                {},
            ),
        )
        for r in found
    }


def _definitions(resources: Sequence[Resource]) -> dict[str, Json]:
    return {
        r.logical_id: {
            "jobDefinitionName": "generated",
            **to_parameters("batch", "RegisterJobDefinition", r.properties, {}),
        }
        for r in resources
        if r.type == "AWS::Batch::JobDefinition"
    }


# ------------------------------------------------------------------ compute environments


def _of_environments(
    environments: Mapping[str, _Environment], resources: Sequence[Resource]
) -> Iterator[str]:
    for each in environments.values():
        for violation in (
            *_itself(each),
            *_numbers(each),
            *_types(each),
            *_image(each),
            *_launch_template(each),
            *_network(each),
            *_capacity(each),
            *_user_data(each),
            *_profile(each, resources),
        ):
            yield f"{each.id}: {violation}"


def _itself(each: _Environment) -> Iterator[str]:
    given, resources = each.properties, each.resources
    if given.get("Type") != "MANAGED":
        yield f"Type {given.get('Type')}, not MANAGED"
    for name in ("ComputeEnvironmentName", "Tags"):
        if name in given:
            yield f"{name} cannot change without a replacement"
    if "ServiceRole" in given:
        yield "a ServiceRole: no infrastructure updates without the linked role [update]"
    if "DesiredvCpus" in resources:
        yield "DesiredvCpus, which Batch moves itself"
    kind, strategy = resources.get("Type"), resources.get("AllocationStrategy", "BEST_FIT")
    if ("SPOT" in strategy) is not (kind == "SPOT") and strategy != "BEST_FIT":
        yield f"AllocationStrategy {strategy} for {kind}"
    if given.get("ReplaceComputeEnvironment") is not False:
        yield "ReplaceComputeEnvironment is not false: changes replace it"
    elif strategy == "BEST_FIT":
        yield "BEST_FIT allows no infrastructure updates [update]"


def _numbers(each: _Environment) -> Iterator[str]:
    resources = each.resources
    least, most = resources.get("MinvCpus", 0), resources.get("MaxvCpus", 0)
    if least > most:
        yield f"MinvCpus {least} above MaxvCpus {most}"
    delay = resources.get("ScalingPolicy", {}).get("MinScaleDownDelayMinutes", 0)
    if delay and not 20 <= delay <= 10_080:
        yield f"MinScaleDownDelayMinutes {delay}, not 20 to 10080 [model]"
    minutes = each.properties.get("UpdatePolicy", {}).get("JobExecutionTimeoutMinutes", 30)
    if not 1 <= minutes <= 7200:
        yield f"JobExecutionTimeoutMinutes {minutes}, not 1 to 7200 [model]"


def _types(each: _Environment) -> Iterator[str]:
    names = each.resources.get("InstanceTypes", [])
    yield from (f"no instance type {name}" for name in names if name not in all_types())
    if len(_architectures([each])) > 1:
        yield "instance types of two architectures"
    if len(each.resources.get("Subnets", [])) > 1 and each.efa:
        yield "EFA in several subnets [efa]"


def _architectures(environments: Sequence[_Environment]) -> set[str]:
    return {
        architecture
        for each in environments
        for facts in each.facts
        for architecture in facts["ProcessorInfo"]["SupportedArchitectures"]
        if architecture != "i386"
    }


def _image(each: _Environment) -> Iterator[str]:
    for item in each.resources.get("Ec2Configuration", []):
        kind = item.get("ImageType")
        if kind not in _IMAGES:
            yield f"ImageType {kind}, not {' or '.join(sorted(_IMAGES))} [ami]"
        elif kind.endswith("NVIDIA") is not any("GpuInfo" in facts for facts in each.facts):
            yield f"ImageType {kind} for {each.resources.get('InstanceTypes')}"
        if any("NeuronInfo" in facts for facts in each.facts) and "ImageIdOverride" not in item:
            yield "the default image has no Neuron driver"


def _launch_template(each: _Environment) -> Iterator[str]:
    given = each.resources.get("LaunchTemplate", {})
    if ("LaunchTemplateId" in given) is ("LaunchTemplateName" in given):
        yield "a launch template has an id or a name [model]"
    if not isinstance(given.get("Version"), str):
        yield "the Version of a launch template is text"
    elif given["Version"].startswith("$"):
        yield f"Version {given['Version']} is resolved once [lt]"
    taken: set[str] = set()
    for override in given.get("Overrides", []):
        targets = set(override.get("TargetInstanceTypes", []))
        if not targets or targets & taken:
            yield "an override of a launch template without types of its own [model]"
        taken |= targets


def _network(each: _Environment) -> Iterator[str]:
    groups = each.resources.get("SecurityGroupIds", [])
    if each.interfaces and groups:
        yield "SecurityGroupIds beside interfaces of the launch template: INVALID"
    if not each.interfaces and not groups:
        yield "neither SecurityGroupIds nor interfaces"
    for interface in each.interfaces:
        if not interface.get("Groups"):
            yield f"interface {interface} without Groups"
        if "SubnetId" in interface:
            yield "SubnetId of an interface is ignored [lt]"
        if interface.get("InterfaceType", "interface") not in ("interface", "efa", "efa-only"):
            yield f"no InterfaceType {interface['InterfaceType']}"
    if each.interfaces:
        for facts in each.facts:
            for violation in interface_violations(each.interfaces, facts):
                yield f"{facts['InstanceType']}: {violation}"


def _capacity(each: _Environment) -> Iterator[str]:
    market = each.data.get("InstanceMarketOptions", {}).get("MarketType")
    target = each.data.get("CapacityReservationSpecification", {}).get(
        "CapacityReservationTarget", {}
    )
    if market not in (None, "capacity-block"):
        yield f"MarketType {market} [lt]"
    if market and "CapacityReservationId" not in target:
        yield "a Capacity Block without its id"
    if market and "PlacementGroup" in each.resources:
        yield "a placement group outside the Capacity Block"
    if target and each.resources.get("Type") == "SPOT":
        yield "a reservation for Spot instances"


_RESERVED = re.compile(r"ECS_CLUSTER|ECS_INSTANCE_ATTRIBUTES")
_DEADLOCK = re.compile(r"systemctl (re)?start (ecs|docker)")


def _user_data(each: _Environment) -> Iterator[str]:
    text = each.data.get("UserData")
    if not text:
        return
    try:
        found = parts(text)
    except ValueError:
        return  # launch_templates.py reports it
    for part in found:
        if _RESERVED.search(part.text):
            yield "user data sets what Batch sets [lt]"
        if _DEADLOCK.search(part.text):
            yield "user data waits for a service that waits for user data"


def _profile(each: _Environment, resources: Sequence[Resource]) -> Iterator[str]:
    role = str(each.resources.get("InstanceRole", ""))
    if not role:
        yield "no InstanceRole"
    elif ":role/" in role:
        yield "InstanceRole is a role, not an instance profile"


def _of_roles(resources: Sequence[Resource]) -> Iterator[str]:
    """The roles of instance profiles trust EC2."""
    profiles = [r for r in resources if r.type == "AWS::IAM::InstanceProfile"]
    if not any(r.type.startswith("AWS::Batch::") for r in resources):
        return
    roles = {r.logical_id: r for r in resources if r.type == "AWS::IAM::Role"}
    for profile in profiles:
        for role in roles.values():
            document = json.dumps(role.properties.get("AssumeRolePolicyDocument", {}))
            if "ec2.amazonaws.com" not in document:
                yield f"{profile.logical_id}: its role does not trust EC2"


# ------------------------------------------------------------------ queues


def _of_queues(
    resources: Sequence[Resource], environments: Mapping[str, _Environment]
) -> Iterator[str]:
    for queue in (r for r in resources if r.type == "AWS::Batch::JobQueue"):
        for violation in (*_order(queue.properties, environments), *_actions(queue.properties)):
            yield f"{queue.logical_id}: {violation}"


def _order(queue: Json, environments: Mapping[str, _Environment]) -> Iterator[str]:
    order = queue.get("ComputeEnvironmentOrder", [])
    if not 1 <= len(order) <= _MOST_ENVIRONMENTS:
        yield f"{len(order)} compute environments [limits]"
    if len({item.get("Order") for item in order}) < len(order):
        yield "two environments in one place"
    named = [str(item.get("ComputeEnvironment")) for item in order]
    mine = [each for name, each in environments.items() if any(name in one for one in named)]
    if len(_architectures(mine)) > 1:
        yield "environments of two architectures"
    if not 0 <= queue.get("Priority", -1) <= 1000:
        yield f"Priority {queue.get('Priority')}, not 0 to 1000"


def _actions(queue: Json) -> Iterator[str]:
    for action in queue.get("JobStateTimeLimitActions", []):
        if action.get("Reason") not in _REASONS:
            yield f"no Reason {action.get('Reason')} [runnable]"
        if action.get("Action") != "CANCEL":
            yield f"Action {action.get('Action')} is for SageMaker's queues [model]"
        if not 600 <= action.get("MaxTimeSeconds", 0) <= 86_400:
            yield f"MaxTimeSeconds {action.get('MaxTimeSeconds')}, not 600 to 86400 [model]"


def _of_policies(resources: Sequence[Resource]) -> Iterator[str]:
    for policy in (r for r in resources if r.type == "AWS::Batch::SchedulingPolicy"):
        shares = policy.properties.get("FairsharePolicy", {}).get("ShareDistribution", [])
        names = [share.get("ShareIdentifier", "") for share in shares]
        for name in names:
            if not re.fullmatch(r"[A-Za-z0-9]{1,254}\*?", name):
                yield f"{policy.logical_id}: ShareIdentifier {name!r} [model]"
        if len(set(names)) < len(names):
            yield f"{policy.logical_id}: two shares with one identifier [fair]"
        for share in shares:
            if not 0.0001 <= share.get("WeightFactor", 1) <= 999.9999:
                yield f"{policy.logical_id}: WeightFactor {share['WeightFactor']} [model]"


# ------------------------------------------------------------------ job definitions


def _of_job(job: Json, environments: Mapping[str, _Environment]) -> Iterator[str]:
    yield from validate("batch", "RegisterJobDefinition", job)
    size = len(json.dumps(job))
    if size > _MOST_BYTES:
        yield f"{size} bytes, more than {_MOST_BYTES} [limits]"
    if job.get("platformCapabilities", ["EC2"]) != ["EC2"]:
        yield f"platformCapabilities {job['platformCapabilities']} [mnp]"
    yield from _attempts(job)
    if "containerProperties" in job and "nodeProperties" in job:
        yield "containerProperties beside nodeProperties [model]"
    if job.get("type") == "multinode":
        yield from _multi_node(job.get("nodeProperties", {}), environments)
    elif "containerProperties" in job:
        container = job["containerProperties"]
        yield from _container(container)
        fits = [each for each in environments.values() if not list(_fits(container, each))]
        if environments and not fits:
            yield "no node has what it asks for"


def _attempts(job: Json) -> Iterator[str]:
    retry = job.get("retryStrategy", {})
    if not 1 <= retry.get("attempts", 1) <= 10:
        yield f"{retry['attempts']} attempts, not 1 to 10 [model]"
    rules = retry.get("evaluateOnExit", [])
    if len(rules) > 5:
        yield "more than 5 rules of retries [model]"
    if rules and (rules[-1].get("action"), rules[-1].get("onReason")) != ("EXIT", "*"):
        yield "retries of what no rule matches [model]"
    seconds = job.get("timeout", {}).get("attemptDurationSeconds", 60)
    if seconds < 60:
        yield f"a timeout of {seconds} s, less than 60 [model]"


def _multi_node(node: Json, environments: Mapping[str, _Environment]) -> Iterator[str]:
    number, main = node.get("numNodes", 0), node.get("mainNode", 0)
    if not 0 <= main < number:
        yield f"main node {main} of {number} [ranges]"
    ranges = node.get("nodeRangeProperties", [])
    if not 1 <= len(ranges) <= _MOST_RANGES:
        yield f"{len(ranges)} ranges of nodes, not 1 to {_MOST_RANGES} [ranges]"
    yield from _covered(number, [str(each.get("targetNodes")) for each in ranges])
    types = {each.get("container", {}).get("instanceType") for each in ranges}
    if len(types) > 1:
        yield f"nodes of {len(types)} instance types [ranges]"
    for each in ranges:
        container = each.get("container", {})
        yield from _container(container)
        yield from _placed(container, number, environments)


def _covered(number: int, targets: Sequence[str]) -> Iterator[str]:
    covered: set[int] = set()
    for target in targets:
        found = re.fullmatch(r"(\d*):(\d*)", target) or re.fullmatch(r"(\d+)()", target)
        if not found:
            yield f"targetNodes {target!r} [ranges]"
            continue
        first = int(found[1] or 0)
        last = int(found[2] or (number - 1 if ":" in target else first))
        covered |= set(range(first, last + 1))
    if covered and covered != set(range(number)):
        yield f"ranges of nodes {sorted(targets)} for {number} nodes [ranges]"


def _placed(
    container: Json, number: int, environments: Mapping[str, _Environment]
) -> Iterator[str]:
    """Some environment has enough nodes of the type, on which the task finds its place."""
    name = container.get("instanceType")
    having = [e for e in environments.values() if name in e.resources.get("InstanceTypes", [])]
    if not environments:
        return
    if not having:
        yield f"no compute environment has {name}"
    answers = [[*_for_tasks(each, number), *_fits(container, each, name)] for each in having]
    if answers and all(answers):
        yield from answers[0]


def _for_tasks(each: _Environment, number: int) -> Iterator[str]:
    resources = each.resources
    if resources.get("Type") != "EC2":
        yield f"{each.id} has {resources.get('Type')} capacity, which runs no multi-node jobs [mnp]"
    for facts in each.facts:
        needed = number * facts["VCpuInfo"]["DefaultVCpus"]
        if needed > resources.get("MaxvCpus", 0):
            yield f"{needed} vCPUs of {each.id}, which has up to {resources.get('MaxvCpus')}"
        first = facts["NetworkInfo"]["NetworkCards"][0]["MaximumNetworkInterfaces"]
        used = sum(item.get("NetworkCardIndex", 0) == 0 for item in each.interfaces) or 1
        if used >= first:
            yield f"card 0 of {facts['InstanceType']} has no place for a task's interface [ecs]"


def _fits(container: Json, each: _Environment, name: str | None = None) -> Iterator[str]:
    """What a node lacks that a container asks for."""
    for facts in each.facts:
        if name not in (None, facts["InstanceType"]):
            continue
        asked = {r["type"]: int(r["value"]) for r in container.get("resourceRequirements", [])}
        memory = facts["MemoryInfo"]["SizeInMiB"] * _MOST_MEMORY
        cpus = each.data.get("CpuOptions", {})
        vcpus = (
            cpus["CoreCount"] * cpus["ThreadsPerCore"]
            if cpus
            else facts["VCpuInfo"]["DefaultVCpus"]
        )
        for kind, most in (("VCPU", vcpus), ("MEMORY", memory), ("GPU", gpus(facts))):
            if asked.get(kind, 0) > most:
                yield f"{asked[kind]} {kind} of {facts['InstanceType']}, which has {most:g}"
        yield from _devices(container, each, facts)


def _devices(container: Json, each: _Environment, facts: Json) -> Iterator[str]:
    given = {d["hostPath"] for d in container.get("linuxParameters", {}).get("devices", [])}
    neuron = facts.get("NeuronInfo", {}).get("NeuronDevices", [])
    wanted = {f"/dev/infiniband/uverbs{n}" for n in range(each.efa)}
    wanted |= {f"/dev/neuron{n}" for n in range(sum(device["Count"] for device in neuron))}
    if missing := sorted(wanted - given):
        yield f"devices of {facts['InstanceType']} are missing: {', '.join(missing)} [efa]"
    more = sorted(given - wanted)
    # EC2's data lacks the Neuron devices of trn2u.
    if more and ("NeuronInfo" in facts or not all("neuron" in path for path in more)):
        yield f"{facts['InstanceType']} has no {', '.join(more)}"


def _container(container: Json) -> Iterator[str]:
    if not 1 <= len(container.get("image", "")) <= 255:
        yield f"image {container.get('image')!r} [model]"
    asked = {r.get("type"): r.get("value") for r in container.get("resourceRequirements", [])}
    for kind in ("VCPU", "MEMORY"):
        if kind not in asked:
            yield f"no {kind} [model]"
    for entry in container.get("environment", []):
        if entry.get("name", "").startswith("AWS_BATCH"):
            yield f"variable {entry['name']} is Batch's [model]"
    yield from _limits(container)
    volumes = {volume.get("name") for volume in container.get("volumes", [])}
    for point in container.get("mountPoints", []):
        if point.get("sourceVolume") not in volumes:
            yield f"no volume {point.get('sourceVolume')}"


def _limits(container: Json) -> Iterator[str]:
    limits = {limit.get("name"): limit for limit in container.get("ulimits", [])}
    yield from (f"no ulimit {name}" for name in limits if name not in _ULIMITS)
    devices = container.get("linuxParameters", {}).get("devices", [])
    locked = limits.get("memlock", {})
    if devices and {locked.get("softLimit"), locked.get("hardLimit")} != {-1}:
        yield "memory is not locked without limit, as EFA needs"
