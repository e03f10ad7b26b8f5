"""Environments and queues of AWS Batch in the words of the language."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clustergen.base.secrets import STAND_IN
from clustergen.facts import catalog
from clustergen.facts.catalog.regions import partition_of
from clustergen.importing import machines, node_scripts, roles
from clustergen.importing.answers import Answers
from clustergen.importing.batch.form import ENVIRONMENTS, POLICIES, QUEUES, group_name
from clustergen.importing.machines import items, mappings, section
from clustergen.importing.network import network, own_places
from clustergen.importing.notes import Notes
from clustergen.importing.settings import LAUNCH_TEMPLATE, Json, linked_name
from clustergen.targets.batch import limits, strategies
from clustergen.targets.batch.launch_template import METADATA_HOPS
from clustergen.targets.batch.names import SCHEDULING_POLICY
from clustergen.targets.batch.roles import ECS_POLICY

_LONGEST: Final = limits.MAX_NAME
# https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html (2026-11)
_X86, _ARM = ("m6i", "c6i", "r6i", "c7i"), ("m6g", "c6g", "r6g", "c7g")
_CHOICES: Final = {"optimal": _X86, "default_x86_64": _X86, "default_arm64": _ARM}
"""The families from which Batch chooses."""


def spec(settings: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of the settings of environments and queues, without an overlay."""
    every = section(settings, ENVIRONMENTS)
    environments = {key: each for key, each in every.items() if _has_nodes(each)}
    if not environments:
        text = "no compute environment starts EC2 instances, so there is no node group"
        help = "write one, such as {name: cpu, instance_type: m7i.4xlarge}"
        notes.asked((ENVIRONMENTS,), text, help, "node_groups")
    # Others stay as they are: no queue has environments of both kinds.
    known = section(settings, QUEUES).items()
    queues = {key: each for key, each in known if environments.keys() & {*_used(each)}}
    name = answers.name if answers.adopt else _name([*queues], answers.name)
    called = dict(_names(queues, name))
    groups = {key: group_name(key, each, _tag(each, name)) for key, each in environments.items()}
    shared = _shared_tags(environments)
    subnets = [subnet for each in environments.values() for subnet in _subnets(each)]
    shared_network = network(subnets, (ENVIRONMENTS,), "no file names the VPC", answers, notes)
    security = machines.Security.of(
        map(_security_groups, environments.values()), None if "vpc" in shared_network else []
    )
    found = {
        "version": 1,
        "name": name,
        "region": answers.region,
        "tags": shared,
        "permissions_boundary": roles.boundary(settings),
        "network": {**shared_network, "security_groups": security.shared},
        "node_groups": [
            {
                **_group(groups[key], each),
                "iam": _iam(groups[key], each, settings, answers.region, notes),
                "tags": machines.tags(each, name, shared, groups[key]),
                "security_groups": own,
                **own_places(_subnets(each), shared_network, answers.region),
            }
            for (key, each), own in zip(environments.items(), security.own, strict=True)
        ],
        "queues": _queues(queues, called, groups),
        "slurm": {
            "idle_timeout": _idle_timeout(environments),
            "accounts": list(_accounts(section(settings, POLICIES))),
        },
        **node_scripts.of_cluster(
            [
                node_scripts.Node(groups[key], node_scripts.user_data(each))
                for key, each in environments.items()
            ],
            answers.beside,
            notes,
        ),
    }
    options = {
        **machines.options(environments.values(), METADATA_HOPS),
        "leave_out": [*security.left_out, *roles.left_out(settings), *_left_out(queues)],
        "queue_names": {
            ours: theirs for theirs, ours in called.items() if theirs != f"{name}-{ours}"
        },
    }
    return {**machines.filled(found), "targets": {"batch": machines.filled(options)}}


def _has_nodes(environment: Json) -> bool:
    """Whether Batch starts EC2 instances for it, which Fargate and unmanaged environments lack.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html
    """
    resources = section(environment, "ComputeResources")
    return bool(resources) and "FARGATE" not in str(resources.get("Type"))


def _tag(environment: Json, cluster: str) -> str:
    """The name that the tag of the nodes has after that of the cluster."""
    name = machines.tags(environment, "", {}, "").get("Name")
    return str(name or "").removeprefix(f"{cluster}-")


def _shared_tags(environments: Json) -> Json:
    """The tags of the cluster: those of all nodes, and of all launch templates besides."""
    tagged = [machines.tags(each, "", {}, "") for each in environments.values()]
    for environment in environments.values():
        specified = items(section(environment, LAUNCH_TEMPLATE), "TagSpecifications")
        tagged.append({k: v for each in specified for k, v in machines.tag_map(each).items()})
    first = tagged[0] if tagged else {}
    alike = {key for key, value in first.items() if all(t.get(key) == value for t in tagged)}
    return {key: value for key, value in first.items() if key in alike - {"Name"}}


def _name(queues: list[str], default: str) -> str:
    """The name of the cluster, with which the names of all queues begin."""
    words = [[] if STAND_IN in queue else queue.split("-")[:-1] for queue in queues]
    common = []
    for each in zip(*words, strict=False):
        if len(set(each)) > 1:
            break
        common.append(each[0])
    return "-".join(common) or default


def _names(queues: Iterable[str], cluster: str) -> Iterator[tuple[str, str]]:
    """The names of queues in Batch, and those that they have in the spec."""
    used: set[str] = set()
    for queue in queues:
        name = queue.removeprefix(f"{cluster}-")
        name = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
        name = (name if name[:1].isalpha() else f"queue-{name}")[:_LONGEST]
        while name in used:
            name = f"{name[: _LONGEST - 2]}-2"
        used.add(name)
        yield queue, name


def _queues(queues: Json, called: Mapping[str, str], groups: Json) -> list[Json]:
    found = []
    for queue, properties in queues.items():
        priority = machines.number(properties.get("Priority"))
        found.append(
            {
                "name": called[queue],
                "node_groups": [groups[each] for each in _used(properties) if each in groups],
                "priority": priority if priority > 1 else None,
            }
        )
    return found


def _used(queue: Json) -> list[str]:
    order = mappings(queue, "ComputeEnvironmentOrder")
    order.sort(key=lambda each: machines.number(each.get("Order")))
    return [linked_name(each.get("ComputeEnvironment")) for each in order]


def _left_out(queues: Json) -> list[str]:
    """The word for queues in which jobs that never start stay."""
    known = any(items(each, "JobStateTimeLimitActions") for each in queues.values())
    return ["stuck-jobs"] if queues and not known else []


def _idle_timeout(environments: Json) -> str | None:
    """How long idle nodes stay, where all environments say the same."""
    found = {
        section(each, "ComputeResources", "ScalingPolicy").get("MinScaleDownDelayMinutes")
        for each in environments.values()
    }
    minutes = found.pop() if len(found) == 1 else None
    return f"{minutes}m" if minutes else None


def _accounts(policies: Json) -> Iterator[Json]:
    """The shares of clustergen's own policy; a lower weight is a larger share."""
    for share in mappings(policies, SCHEDULING_POLICY, "FairsharePolicy", "ShareDistribution"):
        weight = float(share.get("WeightFactor") or 1)
        yield {"name": share.get("ShareIdentifier"), "fair_share": round(1 / weight)}


def _subnets(environment: Json) -> list[Any]:
    return items(environment, "ComputeResources", "Subnets")


def _security_groups(environment: Json) -> list[Any]:
    resources = section(environment, "ComputeResources")
    return machines.security_groups({**environment, **resources})


def _iam(name: str, environment: Json, settings: Json, region: str, notes: Notes) -> Json:
    value = section(environment, "ComputeResources").get("InstanceRole")
    role = roles.existing(value, settings)
    if not role:
        return roles.of_nodes(value, settings, (ECS_POLICY,))
    text = f"the template has the name of the role of {name}, {role}, not its account and path"
    help = f"`aws iam get-role --role-name {role}` shows its ARN"
    notes.asked((), text, help, "node_groups")
    return {"role": f"arn:{partition_of(region).name}:iam::{'0' * 12}:role/{role}"}


def _group(name: str, environment: Json) -> Json:
    resources = section(environment, "ComputeResources")
    types = [name for each in items(resources, "InstanceTypes") for name in _sizes(str(each))]
    data = machines.template(environment)
    placement = resources.get("PlacementGroup")
    words = machines.fields({**data, "Placement": {"GroupName": placement}} if placement else data)
    return {
        "name": name,
        **({"instance_type": types[0]} if len(types) == 1 else {"instance_types": types}),
        "count": machines.count(
            _nodes(resources.get("MinvCpus"), types), _nodes(resources.get("MaxvCpus"), types) or 1
        ),
        "capacity": "spot" if resources.get("Type") == "SPOT" else machines.reservation(data),
        "allocation": _allocation(resources),
        **words,
        "image": _image(resources, data),
        **node_scripts.of_group(node_scripts.user_data(environment)),
        "labels": {str(k): str(v) for k, v in section(resources, "Tags").items()},
    }


def _sizes(type: str) -> list[str]:
    """The types from which Batch chooses, where it is given a family; the overlay keeps that."""
    families = tuple(f"{family}." for family in _CHOICES.get(type, (type,)))
    return [name for name in catalog.names() if name.startswith(families)] or [type]


def _nodes(vcpus: Any, types: list[str]) -> int:
    known = [type.vcpus for type in map(catalog.find, types) if type]
    return -(-machines.number(vcpus) // min(known)) if known else 0


def _image(resources: Json, data: Json) -> Any:
    configured = mappings(resources, "Ec2Configuration")
    own = [each.get("ImageIdOverride") for each in configured] + [data.get("ImageId")]
    return next((image for image in own if str(image).startswith("ami-")), None)


def _allocation(resources: Json) -> str | None:
    """The word for the strategy; None for the one that Batch gets without a word."""
    spot = resources.get("Type") == "SPOT"
    default = strategies.default(spot=spot, types=len(items(resources, "InstanceTypes")))
    theirs = resources.get("AllocationStrategy")
    words = {strategy: word for word, strategy in strategies.known(spot=spot).items()}
    word = words.get(theirs) if isinstance(theirs, str) else None
    return word if word != default else None
