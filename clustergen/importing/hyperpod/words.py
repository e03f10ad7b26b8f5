"""A request of HyperPod in the words of the language, as far as it has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.catalog.regions import partition_of
from clustergen.hyperpod.limits import HEALTH_CHECKS
from clustergen.importing.answers import STAND_IN_VPC, Answers
from clustergen.importing.hyperpod.requests import GROUPS
from clustergen.importing.notes import Notes
from clustergen.importing.regions import located, of_arns
from clustergen.patterns import pattern

Json = dict[str, Any]
_STAND_IN: Final = "subnet-" + "0" * 17
_FILE_SYSTEM: Final = pattern(r"(fs-[0-9a-f]{8,17})\.fsx\.")
_SINGULAR: Final = {"Controller": "head_node", "Login": "login"}


def spec(request: Json, parameters: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of a request, without an overlay."""
    answers = located(answers, of_arns(str(request)), (), "request", notes)
    groups = _groups(request)
    on_eks = "Eks" in _map(request, "Orchestrator")
    roles = {} if on_eks else dict(_roles(groups, parameters, notes))
    compute = [g for g in groups if g.get("InstanceGroupName") not in roles.values()]
    options = {} if on_eks else {**_slurm(groups), **_controllers(groups, roles)}
    if is_addition(request):
        options = {"cluster": request["ClusterName"], **_shared_group(request), **options}
        text = f"no group is the controller, so the groups are added to {request['ClusterName']}"
        notes.decided(("InstanceGroups",), text, "targets")
    several = "controllers" in options and not _lifecycle(groups)
    found: Json = {
        "version": 1,
        "name": answers.name if "cluster" in options else request.get("ClusterName"),
        "region": answers.region,
        "tags": _tags(request, on_eks=on_eks),
        "network": _network(request, answers, notes),
        **{
            section: _machine(group, role=role)
            for role, section in _SINGULAR.items()
            for group in groups
            if group.get("InstanceGroupName") == roles.get(role)
        },
        "node_groups": [_group(group, _map(request, "VpcConfig")) for group in compute],
        "queues": [] if on_eks else _queues(compute, parameters),
        **(_shared_state(answers.region, notes) if several else {"storage": _storage(groups)}),
        "kubernetes": {"autoscaler": "karpenter"} if on_eks and "AutoScaling" in request else {},
        "resilience": {"replace_failed_nodes": False}
        if request.get("NodeRecovery") == "None"
        else {},
        "targets": {
            "hyperpod-eks": {
                "eks_cluster": _map(request, "Orchestrator", "Eks").get("ClusterArn"),
                **_cluster_role(request),
                **_lifecycle(groups),
                **_provisioning(request),
                **_left_out(request, groups, on_eks=True),
            }
        }
        if on_eks
        else {
            "hyperpod-slurm": {
                **options,
                **_provisioning(request),
                **_names(roles),
                **_lifecycle(groups),
                **_left_out(request, groups, on_eks=False),
            }
        },
    }
    return {key: value for key, value in found.items() if value not in (None, {}, [])}


def _map(node: Any, *keys: str) -> Json:
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return dict(node) if isinstance(node, Mapping) else {}


def _list(node: Any, key: str) -> list[Any]:
    found = node.get(key) if isinstance(node, Mapping) else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _tags(request: Json, *, on_eks: bool) -> Json:
    tags = {str(tag.get("Key")): str(tag.get("Value")) for tag in _list(request, "Tags")}
    if on_eks and tags.get("SageMaker") == "true":
        del tags["SageMaker"]  # every cluster of this target has it
    return tags


def _network(request: Json, answers: Answers, notes: Notes) -> Json:
    config = _map(request, "VpcConfig")
    subnets = [str(subnet) for subnet in config.get("Subnets", [])]
    zones = answers.zones
    if not subnets and is_addition(request):
        subnets = _subnets_of_groups(request) or [_unknown_subnet(request, notes)]
    if not subnets:
        notes.asked((), "the request names no subnets", "use --zone for the new one", "network")
        return {"zone": zones.get("") or f"{answers.region}a"}
    if not answers.vpc:
        help = f"use --vpc; `aws ec2 describe-subnets --subnet-ids {subnets[0]}` shows it"
        notes.asked(("VpcConfig",), "the request does not name its VPC", help, "network")
    known = {subnet: zones.get(subnet) or zones.get("") for subnet in subnets}
    groups = config.get("SecurityGroupIds", [])
    return {
        "vpc": answers.vpc or STAND_IN_VPC,
        "private_subnets": [{"id": s, "zone": zone} if zone else s for s, zone in known.items()],
        **({"security_groups": groups} if groups else {}),
    }


def _subnets_of_groups(request: Json) -> list[str]:
    found = (_map(group, "OverrideVpcConfig").get("Subnets", []) for group in _groups(request))
    return list(dict.fromkeys(str(subnet) for subnets in found for subnet in subnets))


def _unknown_subnet(request: Json, notes: Notes) -> str:
    text = "the file does not name the subnets of the cluster"
    show = f"aws sagemaker describe-cluster --cluster-name {request['ClusterName']}"
    help = f"replace {_STAND_IN}; `{show} --query VpcConfig` shows them"
    notes.asked(("InstanceGroups",), text, help, "network")
    return _STAND_IN


def _groups(request: Json) -> list[Json]:
    return [group for key in GROUPS for group in _list(request, key)]


def _roles(groups: Sequence[Any], parameters: Json, notes: Notes) -> Iterator[tuple[str, str]]:
    """The groups of the controller and of login nodes."""
    for role in _SINGULAR:
        stated = [g for g in groups if _map(g, "SlurmConfig").get("NodeType") == role]
        named = parameters.get(f"{role.lower()}_group")
        guessed = [g for g in groups if role.lower() in str(g.get("InstanceGroupName")).lower()]
        if stated or named:
            yield role, str(stated[0].get("InstanceGroupName") if stated else named)
        elif guessed:
            name = str(guessed[0].get("InstanceGroupName"))
            text = f"{name} is assumed to be the {role.lower()} group, because of its name"
            notes.decided(("InstanceGroups", groups.index(guessed[0])), text, _SINGULAR[role])
            yield role, name


def _cluster_role(request: Json) -> Json:
    role = str(request.get("ClusterRole", ""))
    return {"cluster_role": role} if role.startswith("arn:") and "AutoScaling" in request else {}


def _lifecycle(groups: Sequence[Json]) -> Json:
    """The scripts of most groups; those of clustergen are in a bucket of the foundation."""
    given = [_map(group, "LifeCycleConfig") for group in groups]
    own = [each for each in given if "${" not in str(each.get("SourceS3Uri", "${"))]
    if not own:
        return {}
    config = max(own, key=own.count)
    words = {"source": "SourceS3Uri", "on_create": "OnCreate", "on_init_complete": "OnInitComplete"}
    return {"lifecycle": {word: config[key] for word, key in words.items() if key in config}}


def _controllers(groups: Sequence[Json], roles: Mapping[str, str]) -> Json:
    """The number of controllers, if there are several."""
    mine = (g for g in groups if g.get("InstanceGroupName") == roles.get("Controller"))
    count = next((group.get("InstanceCount", 1) for group in mine), 1)
    return {"controllers": count} if count != 1 else {}


def _storage(groups: Sequence[Json]) -> list[Json]:
    """The Lustre file systems that all groups have, by their DNS names."""
    configs = [
        [_map(each, "FsxLustreConfig") for each in _list(group, "InstanceStorageConfigs")]
        for group in groups
    ]
    found = []
    for config in configs[0] if configs else []:
        id = _FILE_SYSTEM.match(str(config.get("DnsName", "")))
        if id and all(config in each for each in configs):
            existing = {"id": id[1], "mount_name": config.get("MountName")}
            mount = config.get("MountPath", "/fsx")
            found.append({"mount": mount, "type": "fsx-lustre", "existing": existing})
    return found


def _shared_group(request: Json) -> Json:
    """The cluster's security group in what clustergen rendered: beside that of a foundation."""
    groups = [str(group) for group in _map(request, "VpcConfig").get("SecurityGroupIds", [])]
    others = [group for group in groups if "${" not in group]
    return {"cluster_security_group": others[0]} if 0 < len(others) < len(groups) else {}


def is_addition(request: Json) -> bool:
    """Whether the groups are for a cluster that exists: each has a role, and none controls."""
    kinds = [_map(group, "SlurmConfig").get("NodeType") for group in _groups(request)]
    return bool(kinds) and None not in kinds and "Controller" not in kinds


def _shared_state(region: str, notes: Notes) -> Json:
    """Where several controllers with our scripts keep their state: a request does not say it."""
    for section, what in (("storage", "which file system"), ("slurm", "which database")):
        text = f"the request does not say {what} the controllers share"
        notes.asked((), text, f"replace the stand-in in `{section}`", section)
    secret = f"arn:{partition_of(region).name}:secretsmanager:{region}:{'0' * 12}:secret:fill-in"
    return {
        "storage": [{"mount": "/fsx", "type": "fsx-lustre", "size": "1200GiB"}],
        "slurm": {"accounting": {"endpoint": "fill-in.example.com", "secret": secret}},
    }


def _names(roles: Mapping[str, str]) -> Json:
    """The names of the groups of the controller and of login nodes, where they differ from ours."""
    named = {f"{role.lower()}_group": name for role, name in roles.items()}
    return {option: name for option, name in named.items() if option != f"{name}_group"}


def _type(group: Json) -> Json:
    several = _map(group, "InstanceRequirements").get("InstanceTypes")
    if several:
        return {"instance_types": [str(name).removeprefix("ml.") for name in several]}
    return {"instance_type": str(group.get("InstanceType")).removeprefix("ml.")}


def _volume(group: Json) -> Json:
    volumes = [_map(each, "EbsVolumeConfig") for each in _list(group, "InstanceStorageConfigs")]
    sizes = [
        v["VolumeSizeInGB"] for v in volumes if v.get("VolumeSizeInGB") and "RootVolume" not in v
    ]
    keys = [v["VolumeKmsKeyId"] for v in volumes if v.get("RootVolume") and "VolumeKmsKeyId" in v]
    words = {
        **({"size": f"{sizes[0]}GiB"} if sizes else {}),
        **({"kms_key": keys[0]} if keys else {}),
    }
    return {"root_volume": words} if words else {}


def _image(group: Json) -> Json:
    image = str(group.get("ImageId", ""))
    return {"image": image} if image.startswith("ami-") else {}


def _machine(group: Json, role: str) -> Json:
    count = group.get("InstanceCount", 1)
    number = {"count": count} if role == "Login" and count != 1 else {}
    common = {**_image(group), **_volume(group), **_threads(group), **_role(group)}
    return {**_type(group), **number, **common}


def _threads(group: Json) -> Json:
    threads = group.get("ThreadsPerCore")
    return {"threads_per_core": threads} if threads else {}


def _role(group: Json) -> Json:
    role = str(group.get("ExecutionRole", ""))
    # A placeholder is the role that a foundation of clustergen creates.
    return {"iam": {"role": role}} if role.startswith("arn:") else {}


def _group(group: Json, shared: Json) -> Json:
    low, high = group.get("MinInstanceCount"), group.get("InstanceCount", 0)
    return {
        "name": group.get("InstanceGroupName"),
        **_type(group),
        "count": {"min": low, "max": high} if low is not None else high,
        **_capacity(group),
        **_threads(group),
        **_image(group),
        **_volume(group),
        **_role(group),
        **_checks(group),
        **_own_network(group, shared),
        **_kubernetes(group),
    }


def _own_network(group: Json, shared: Json) -> Json:
    """Subnets and security groups of a group, the latter besides those of all nodes."""
    own, common = _map(group, "OverrideVpcConfig"), list(shared.get("SecurityGroupIds", []))
    groups = list(own.get("SecurityGroupIds", []))
    extra = groups[len(common) :] if groups[: len(common)] == common else []
    found = {"subnets": list(own.get("Subnets", [])), "security_groups": extra}
    return {key: value for key, value in found.items() if value}


def _capacity(group: Json) -> Json:
    if group.get("TrainingPlanArn"):
        return {"capacity": {"training_plan": group["TrainingPlanArn"]}}
    return {"capacity": "spot"} if "Spot" in _map(group, "CapacityRequirements") else {}


def _checks(group: Json) -> Json:
    words = {name: check for check, name in HEALTH_CHECKS.items()}
    checks = [words[each] for each in group.get("OnStartDeepHealthChecks", []) if each in words]
    return {"health_checks": checks} if checks else {}


def _kubernetes(group: Json) -> Json:
    config = _map(group, "KubernetesConfig")
    taints = [
        {
            "key": taint.get("Key"),
            **({"value": taint["Value"]} if taint.get("Value") else {}),
            "effect": taint.get("Effect"),
        }
        for taint in _list(config, "Taints")
    ]
    labels = _map(config, "Labels")
    return {**({"labels": labels} if labels else {}), **({"taints": taints} if taints else {})}


def _queues(groups: Sequence[Json], parameters: Json) -> list[Json]:
    """The partitions; one for each group of the same name goes without saying."""
    members: dict[str, list[str]] = {}
    workers = _list(parameters, "worker_groups")
    given = {each.get("instance_group_name"): each.get("partition_name") for each in workers}
    for group in groups:
        own = given.get(group.get("InstanceGroupName"))
        for name in _map(group, "SlurmConfig").get("PartitionNames", [own] if own else []):
            members.setdefault(str(name), []).append(str(group.get("InstanceGroupName")))
    if all(names == [queue] for queue, names in members.items()):
        return []
    return [{"name": queue, "node_groups": names} for queue, names in members.items()]


def _provisioning(request: Json) -> Json:
    continuous = request.get("NodeProvisioningMode") == "Continuous"
    return {} if continuous else {"provisioning": "all-at-once"}


def _left_out(request: Json, groups: Sequence[Json], *, on_eks: bool) -> Json:
    """clustergen's additions that the request does not have."""
    tags = [tag.get("Key") for tag in _list(request, "Tags")]
    absent = {
        "second-volume": not all(_volume(group) for group in groups),
        "threads-per-core": not all("ThreadsPerCore" in group for group in groups),
        "node-recovery": "NodeRecovery" not in request and not is_addition(request),
        "one-subnet": len(_map(request, "VpcConfig").get("Subnets", [])) > 1,
        "operator-tag": on_eks and "SageMaker" not in tags,
    }
    found = [name for name, is_absent in absent.items() if is_absent]
    return {"leave_out": found} if found else {}


def _slurm(groups: Sequence[Json]) -> Json:
    by_api = any("SlurmConfig" in group for group in groups)
    entry = [group for group in groups if "OnCreate" in _map(group, "LifeCycleConfig")]
    mode = "legacy" if not by_api else "customer-managed" if entry else None
    return {"mode": mode} if mode else {}
