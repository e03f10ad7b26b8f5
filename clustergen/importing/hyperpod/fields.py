"""A request of HyperPod in the words of the language, as far as it has them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.base.patterns import pattern
from clustergen.facts.catalog.regions import partition_of
from clustergen.importing import node_scripts
from clustergen.importing import roles as iam_roles
from clustergen.importing.answers import Answers
from clustergen.importing.companion_files import Beside
from clustergen.importing.file_systems import new
from clustergen.importing.hyperpod.requests import GROUPS
from clustergen.importing.machines import filled, items, mappings, section, tag_map
from clustergen.importing.network import network, own_places, ssh_from
from clustergen.importing.notes import Notes
from clustergen.importing.regions import located, of_arns
from clustergen.services.fields import read
from clustergen.services.foundation.hyperpod import POLICY
from clustergen.services.hyperpod.groups import LAYOUT
from clustergen.services.hyperpod.limits import HEALTH_CHECKS
from clustergen.targets.hyperpod_slurm.cluster import DATABASE

Json = dict[str, Any]
_STAND_IN: Final = "subnet-" + "0" * 17
_FILE_SYSTEM: Final = pattern(r"(?:fs|fc)-[0-9a-f]{8,17}\.")
_LOGIN_GROUP: Final = "${LoginSecurityGroupId}"
"""What a foundation of clustergen's has for nodes that accept SSH."""
_SINGULAR: Final = {"Controller": "head_node", "Login": "login"}


def spec(request: Json, parameters: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of a request, without an overlay."""
    answers = located(answers, of_arns(str(request)), (), "request", notes)
    groups, vpc = _groups(request), section(request, "VpcConfig")
    on_eks = "Eks" in section(request, "Orchestrator")
    roles = {} if on_eks else dict(_roles(groups, parameters, notes))
    compute = [g for g in groups if g.get("InstanceGroupName") not in roles.values()]
    if is_addition(request):
        text = f"no group is the controller, so the groups are added to {request['ClusterName']}"
        notes.decided(("InstanceGroups",), text, "targets")
    several = not on_eks and _controllers(groups, roles) is not None and not _lifecycle(groups)
    found = {
        "version": 1,
        "name": answers.name if is_addition(request) else request.get("ClusterName"),
        "region": answers.region,
        "tags": _tags(request, on_eks=on_eks),
        "network": {
            **_network(request, answers, notes),
            **ssh_from(_security_groups(groups, roles), answers.beside, notes),
        },
        **{
            key: _machine(group, vpc, answers, role=role)
            for role, key in _SINGULAR.items()
            for group in groups
            if group.get("InstanceGroupName") == roles.get(role)
        },
        "node_groups": [_group(group, request, answers) for group in compute],
        "queues": [] if on_eks else _queues(compute, parameters),
        **(
            _shared_state(answers.region, notes)
            if several
            else _state(request, groups, answers.beside, notes)
        ),
        "kubernetes": {"autoscaler": "karpenter" if on_eks and "AutoScaling" in request else None},
        "resilience": {
            "replace_failed_nodes": False if request.get("NodeRecovery") == "None" else None
        },
    }
    target = "hyperpod-eks" if on_eks else "hyperpod-slurm"
    options = _eks(request, groups) if on_eks else _slurm(request, groups, roles)
    return {**filled(found), "targets": {target: filled(options)}}


def _eks(request: Json, groups: Sequence[Json]) -> Json:
    return {
        "eks_cluster": section(request, "Orchestrator", "Eks").get("ClusterArn"),
        "cluster_role": _cluster_role(request),
        "lifecycle": _lifecycle(groups),
        "provisioning": _provisioning(request),
        "leave_out": _left_out(request, groups, on_eks=True),
    }


def _slurm(request: Json, groups: Sequence[Json], roles: Mapping[str, str]) -> Json:
    joins = is_addition(request)
    return {
        "cluster": request["ClusterName"] if joins else None,
        "cluster_security_group": _shared_group(request) if joins else None,
        "mode": _mode(groups),
        "controllers": _controllers(groups, roles),
        "provisioning": _provisioning(request),
        **_names(roles),
        "lifecycle": _lifecycle(groups),
        "leave_out": _left_out(request, groups, on_eks=False),
    }


def _tags(request: Json, *, on_eks: bool) -> Json:
    tags = {key: str(value) for key, value in tag_map(request).items()}
    if on_eks and tags.get("SageMaker") == "true":
        del tags["SageMaker"]  # every cluster of this target has it
    return tags


def _network(request: Json, answers: Answers, notes: Notes) -> Json:
    config = section(request, "VpcConfig")
    subnets = items(config, "Subnets")
    if not subnets and is_addition(request):
        subnets = _subnets_of_groups(request) or [_unknown_subnet(request, notes)]
    if not subnets:
        notes.asked((), "the request names no subnets", "use --zone for the new one", "network")
    silence = "the request does not name its VPC"
    found = network(subnets, ("VpcConfig",), silence, answers, notes)
    if "zone" in found:
        return found
    return {**found, "security_groups": items(config, "SecurityGroupIds")}


def _subnets_of_groups(request: Json) -> list[str]:
    found = (section(group, "OverrideVpcConfig").get("Subnets", []) for group in _groups(request))
    return list(dict.fromkeys(str(subnet) for subnets in found for subnet in subnets))


def _unknown_subnet(request: Json, notes: Notes) -> str:
    text = "the file does not name the subnets of the cluster"
    show = f"aws sagemaker describe-cluster --cluster-name {request['ClusterName']}"
    help = f"replace {_STAND_IN}; `{show} --query VpcConfig` shows them"
    notes.asked(("InstanceGroups",), text, help, "network")
    return _STAND_IN


def _groups(request: Json) -> list[Json]:
    return [group for key in GROUPS for group in mappings(request, key)]


def _roles(groups: Sequence[Any], parameters: Json, notes: Notes) -> Iterator[tuple[str, str]]:
    """The groups of the controller and of login nodes."""
    for role in _SINGULAR:
        stated = [g for g in groups if section(g, "SlurmConfig").get("NodeType") == role]
        named = parameters.get(f"{role.lower()}_group")
        guessed = [g for g in groups if role.lower() in str(g.get("InstanceGroupName")).lower()]
        if stated or named:
            yield role, str(stated[0].get("InstanceGroupName") if stated else named)
        elif guessed:
            name = str(guessed[0].get("InstanceGroupName"))
            text = f"{name} is assumed to be the {role.lower()} group, because of its name"
            notes.decided(("InstanceGroups", groups.index(guessed[0])), text, _SINGULAR[role])
            yield role, name


def _cluster_role(request: Json) -> str | None:
    role = str(request.get("ClusterRole", ""))
    return role if role.startswith("arn:") and "AutoScaling" in request else None


def _lifecycle(groups: Sequence[Json]) -> Json:
    """The scripts of most groups; those of clustergen are in a bucket of the foundation."""
    given = [section(group, "LifeCycleConfig") for group in groups]
    own = [each for each in given if "${" not in str(each.get("SourceS3Uri", "${"))]
    if not own:
        return {}
    config = max(own, key=own.count)
    words = {"source": "SourceS3Uri", "on_create": "OnCreate", "on_init_complete": "OnInitComplete"}
    return {word: config.get(key) for word, key in words.items()}


def _controllers(groups: Sequence[Json], roles: Mapping[str, str]) -> Any:
    mine = (g for g in groups if g.get("InstanceGroupName") == roles.get("Controller"))
    count = next((group.get("InstanceCount", 1) for group in mine), 1)
    return count if count != 1 else None


def _state(request: Json, groups: Sequence[Json], beside: Beside, notes: Notes) -> Json:
    """File systems and the database of the accounting."""
    database = section(request, "Orchestrator", "Slurm", "AccountingDatabase")
    accounting = {"accounting": read(DATABASE, database)}
    return {"storage": _storage(groups, beside, notes), "slurm": accounting}


def _storage(groups: Sequence[Json], beside: Beside, notes: Notes) -> list[Json]:
    """The file systems that HyperPod mounts on all groups, by their DNS names."""
    configs = [mappings(group, "InstanceStorageConfigs") for group in groups]
    found: list[Json] = []
    for config in configs[0] if configs else []:
        if all(config in each for each in configs):
            found += _lustre(section(config, "FsxLustreConfig"), beside, notes)
            found += _openzfs(section(config, "FsxOpenZfsConfig"), beside, notes)
    return found


def _lustre(config: Json, beside: Beside, notes: Notes) -> Iterator[Json]:
    server, mount = str(config.get("DnsName", "")), config.get("MountPath", "/fsx")
    if server.startswith("${"):
        yield new("fsx-lustre", server, mount, beside, notes)
    elif _FILE_SYSTEM.match(server):
        kind = "file-cache" if server.startswith("fc-") else "fsx-lustre"
        existing = {**node_scripts.server(server), "mount_name": config.get("MountName")}
        yield {"mount": mount, "type": kind, "existing": existing}


def _openzfs(config: Json, beside: Beside, notes: Notes) -> Iterator[Json]:
    """Of those that exist, the request does not say the volume."""
    if (server := str(config.get("DnsName", ""))).startswith("${"):
        yield new("fsx-openzfs", server, config["MountPath"], beside, notes)


def _shared_group(request: Json) -> str | None:
    """The cluster's security group in what clustergen rendered: beside that of a foundation."""
    groups = [str(group) for group in section(request, "VpcConfig").get("SecurityGroupIds", [])]
    others = [group for group in groups if "${" not in group]
    return others[0] if 0 < len(others) < len(groups) else None


def is_addition(request: Json) -> bool:
    """Whether the groups are for a cluster that exists: each has a role, and none controls."""
    kinds = [section(group, "SlurmConfig").get("NodeType") for group in _groups(request)]
    return bool(kinds) and None not in kinds and "Controller" not in kinds


def _shared_state(region: str, notes: Notes) -> Json:
    """Where several controllers with our scripts keep their state: a request does not say it."""
    for name, what in (("storage", "which file system"), ("slurm", "which database")):
        text = f"the request does not say {what} the controllers share"
        notes.asked((), text, f"replace the stand-in in `{name}`", name)
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
    several = section(group, "InstanceRequirements").get("InstanceTypes")
    if several:
        return {"instance_types": [str(name).removeprefix("ml.") for name in several]}
    return {"instance_type": str(group.get("InstanceType")).removeprefix("ml.")}


def _volume(group: Json) -> Json:
    volumes = [section(each, "EbsVolumeConfig") for each in items(group, "InstanceStorageConfigs")]
    sizes = [
        v["VolumeSizeInGB"] for v in volumes if v.get("VolumeSizeInGB") and "RootVolume" not in v
    ]
    keys = [v["VolumeKmsKeyId"] for v in volumes if v.get("RootVolume") and "VolumeKmsKeyId" in v]
    words = filled({"size": sizes and f"{sizes[0]}GiB", "kms_key": keys and keys[0]})
    return {"root_volume": words} if words else {}


def _image(group: Json) -> str | None:
    image = str(group.get("ImageId", ""))
    return image if image.startswith("ami-") else None


def _machine(group: Json, shared: Json, answers: Answers, role: str) -> Json:
    count = group.get("InstanceCount", 1)
    network = _own_network(group, shared, answers.region)
    if role == "Controller" and "subnets" in network:
        network["subnet"] = network.pop("subnets")[0]
    return {
        **_type(group),
        "count": count if role == "Login" and count != 1 else None,
        "image": _image(group),
        **_volume(group),
        "threads_per_core": group.get("ThreadsPerCore"),
        "iam": _iam(group, answers),
        **network,
    }


def _iam(group: Json, answers: Answers) -> Json:
    # A placeholder is the role that a foundation of clustergen creates.
    return iam_roles.of_foundation(group.get("ExecutionRole", ""), answers.beside, (POLICY,))


def _group(group: Json, request: Json, answers: Answers) -> Json:
    low, high = group.get("MinInstanceCount"), group.get("InstanceCount", 0)
    # Beside Karpenter, a group with a minimum is one of those that it does not scale.
    ranges = low is not None and "AutoScaling" not in request
    return {
        "name": group.get("InstanceGroupName"),
        **_type(group),
        "count": {"min": low, "max": high} if ranges else high,
        "capacity": _capacity(group),
        "threads_per_core": group.get("ThreadsPerCore"),
        "image": _image(group),
        **_volume(group),
        "iam": _iam(group, answers),
        "health_checks": _checks(group),
        **_own_network(group, section(request, "VpcConfig"), answers.region),
        **read(LAYOUT, group),
        **_kubernetes(group),
    }


def _own_network(group: Json, shared: Json, region: str) -> Json:
    """Subnets and security groups of a group, the latter besides those of all nodes."""
    own = section(group, "OverrideVpcConfig")
    common = (*shared.get("SecurityGroupIds", []), _LOGIN_GROUP)
    groups = [each for each in own.get("SecurityGroupIds", []) if each not in common]
    places = own_places(own.get("Subnets", []), {}, region)
    return {**places, "security_groups": groups}


def _security_groups(groups: Sequence[Json], roles: Mapping[str, str]) -> Iterator[Any]:
    for group in groups:
        if group.get("InstanceGroupName") in roles.values():
            yield from section(group, "OverrideVpcConfig").get("SecurityGroupIds", [])


def _capacity(group: Json) -> Json | str | None:
    if group.get("TrainingPlanArn"):
        return {"training_plan": group["TrainingPlanArn"]}
    return "spot" if "Spot" in section(group, "CapacityRequirements") else None


def _checks(group: Json) -> list[str]:
    words = {name: check for check, name in HEALTH_CHECKS.items()}
    return [words[each] for each in group.get("OnStartDeepHealthChecks", []) if each in words]


def _kubernetes(group: Json) -> Json:
    config = section(group, "KubernetesConfig")
    taints = [
        {"key": each.get("Key"), "value": each.get("Value") or None, "effect": each.get("Effect")}
        for each in mappings(config, "Taints")
    ]
    return {"labels": section(config, "Labels"), "taints": taints}


def _queues(groups: Sequence[Json], parameters: Json) -> list[Json]:
    """The partitions; one for each group of the same name goes without saying."""
    members: dict[str, list[str]] = {}
    workers = mappings(parameters, "worker_groups")
    given = {each.get("instance_group_name"): each.get("partition_name") for each in workers}
    for group in groups:
        own = given.get(group.get("InstanceGroupName"))
        for name in section(group, "SlurmConfig").get("PartitionNames", [own] if own else []):
            members.setdefault(str(name), []).append(str(group.get("InstanceGroupName")))
    if all(names == [queue] for queue, names in members.items()):
        return []
    return [{"name": queue, "node_groups": names} for queue, names in members.items()]


def _provisioning(request: Json) -> str | None:
    return None if request.get("NodeProvisioningMode") == "Continuous" else "all-at-once"


def _left_out(request: Json, groups: Sequence[Json], *, on_eks: bool) -> list[str]:
    """clustergen's additions that the request does not have."""
    absent = {
        "second-volume": not all(_volume(group) for group in groups),
        "threads-per-core": not all("ThreadsPerCore" in group for group in groups),
        "node-recovery": "NodeRecovery" not in request and not is_addition(request),
        "one-subnet": len(section(request, "VpcConfig").get("Subnets", [])) > 1,
        "security-groups": any(_is_apart(group, request) for group in groups),
        "operator-tag": on_eks and "SageMaker" not in tag_map(request),
    }
    return [name for name, is_absent in absent.items() if is_absent]


def _is_apart(group: Json, request: Json) -> bool:
    """Whether a group is in none of the security groups of all nodes."""
    own = section(group, "OverrideVpcConfig").get("SecurityGroupIds", [])
    common = section(request, "VpcConfig").get("SecurityGroupIds", [])
    return bool(own and common) and not set(own) & set(common)


def _mode(groups: Sequence[Json]) -> str | None:
    if not any("SlurmConfig" in group for group in groups):
        return "legacy"
    entry = any("OnCreate" in section(group, "LifeCycleConfig") for group in groups)
    return "customer-managed" if entry else None
