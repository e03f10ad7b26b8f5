"""A request of HyperPod in the words of the language, as far as it has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.base.patterns import pattern
from clustergen.facts.catalog.regions import partition_of
from clustergen.importing import boot
from clustergen.importing import roles as iam_roles
from clustergen.importing.answers import STAND_IN_VPC, Answers
from clustergen.importing.beside import Beside
from clustergen.importing.file_systems import new
from clustergen.importing.hyperpod.requests import GROUPS
from clustergen.importing.machines import filled, section
from clustergen.importing.network import own_places, ssh_from
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
    groups = _groups(request)
    on_eks = "Eks" in section(request, "Orchestrator")
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
        "network": {
            **_network(request, answers, notes),
            **ssh_from(_security_groups(groups, roles), answers.beside, notes),
        },
        **{
            key: _machine(group, section(request, "VpcConfig"), answers, role=role)
            for role, key in _SINGULAR.items()
            for group in groups
            if group.get("InstanceGroupName") == roles.get(role)
        },
        "node_groups": [_group(group, section(request, "VpcConfig"), answers) for group in compute],
        "queues": [] if on_eks else _queues(compute, parameters),
        **(
            _shared_state(answers.region, notes)
            if several
            else _state(request, groups, answers.beside, notes)
        ),
        "kubernetes": {"autoscaler": "karpenter"} if on_eks and "AutoScaling" in request else {},
        "resilience": {"replace_failed_nodes": False}
        if request.get("NodeRecovery") == "None"
        else {},
        "targets": {
            "hyperpod-eks": {
                "eks_cluster": section(request, "Orchestrator", "Eks").get("ClusterArn"),
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


def _list(node: Any, key: str) -> list[Any]:
    found = node.get(key) if isinstance(node, Mapping) else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _tags(request: Json, *, on_eks: bool) -> Json:
    tags = {str(tag.get("Key")): str(tag.get("Value")) for tag in _list(request, "Tags")}
    if on_eks and tags.get("SageMaker") == "true":
        del tags["SageMaker"]  # every cluster of this target has it
    return tags


def _network(request: Json, answers: Answers, notes: Notes) -> Json:
    config = section(request, "VpcConfig")
    subnets = [str(subnet) for subnet in config.get("Subnets", [])]
    zones = answers.zones
    if any("${" in subnet for subnet in subnets):  # those of a foundation of clustergen
        return {"zone": zones.get("") or f"{answers.region}a"}
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
    found = (section(group, "OverrideVpcConfig").get("Subnets", []) for group in _groups(request))
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


def _cluster_role(request: Json) -> Json:
    role = str(request.get("ClusterRole", ""))
    return {"cluster_role": role} if role.startswith("arn:") and "AutoScaling" in request else {}


def _lifecycle(groups: Sequence[Json]) -> Json:
    """The scripts of most groups; those of clustergen are in a bucket of the foundation."""
    given = [section(group, "LifeCycleConfig") for group in groups]
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


def _state(request: Json, groups: Sequence[Json], beside: Beside, notes: Notes) -> Json:
    """File systems and the database of the accounting."""
    database = section(request, "Orchestrator", "Slurm", "AccountingDatabase")
    accounting = {"accounting": read(DATABASE, database)} if database else {}
    return {"storage": _storage(groups, beside, notes), "slurm": accounting}


def _storage(groups: Sequence[Json], beside: Beside, notes: Notes) -> list[Json]:
    """The file systems that HyperPod mounts on all groups, by their DNS names."""
    configs = [_list(group, "InstanceStorageConfigs") for group in groups]
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
        existing = {**boot.server(server), "mount_name": config.get("MountName")}
        yield {"mount": mount, "type": kind, "existing": existing}


def _openzfs(config: Json, beside: Beside, notes: Notes) -> Iterator[Json]:
    """Of those that exist, the request does not say the volume."""
    if (server := str(config.get("DnsName", ""))).startswith("${"):
        yield new("fsx-openzfs", server, config["MountPath"], beside, notes)


def _shared_group(request: Json) -> Json:
    """The cluster's security group in what clustergen rendered: beside that of a foundation."""
    groups = [str(group) for group in section(request, "VpcConfig").get("SecurityGroupIds", [])]
    others = [group for group in groups if "${" not in group]
    return {"cluster_security_group": others[0]} if 0 < len(others) < len(groups) else {}


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
    volumes = [section(each, "EbsVolumeConfig") for each in _list(group, "InstanceStorageConfigs")]
    sizes = [
        v["VolumeSizeInGB"] for v in volumes if v.get("VolumeSizeInGB") and "RootVolume" not in v
    ]
    keys = [v["VolumeKmsKeyId"] for v in volumes if v.get("RootVolume") and "VolumeKmsKeyId" in v]
    words = filled({"size": sizes and f"{sizes[0]}GiB", "kms_key": keys and keys[0]})
    return {"root_volume": words} if words else {}


def _image(group: Json) -> Json:
    image = str(group.get("ImageId", ""))
    return {"image": image} if image.startswith("ami-") else {}


def _machine(group: Json, shared: Json, answers: Answers, role: str) -> Json:
    count = group.get("InstanceCount", 1)
    number = {"count": count} if role == "Login" and count != 1 else {}
    common = {**_image(group), **_volume(group), **_threads(group), **_role(group, answers)}
    network = _own_network(group, shared, answers.region)
    if role == "Controller" and "subnets" in network:
        network["subnet"] = network.pop("subnets")[0]
    return {**_type(group), **number, **common, **network}


def _threads(group: Json) -> Json:
    threads = group.get("ThreadsPerCore")
    return {"threads_per_core": threads} if threads else {}


def _role(group: Json, answers: Answers) -> Json:
    # A placeholder is the role that a foundation of clustergen creates.
    iam = iam_roles.of_foundation(group.get("ExecutionRole", ""), answers.beside, (POLICY,))
    return {"iam": filled(iam)} if filled(iam) else {}


def _group(group: Json, shared: Json, answers: Answers) -> Json:
    low, high = group.get("MinInstanceCount"), group.get("InstanceCount", 0)
    return {
        "name": group.get("InstanceGroupName"),
        **_type(group),
        "count": {"min": low, "max": high} if low is not None else high,
        **_capacity(group),
        **_threads(group),
        **_image(group),
        **_volume(group),
        **_role(group, answers),
        **_checks(group),
        **_own_network(group, shared, answers.region),
        **read(LAYOUT, group),
        **_kubernetes(group),
    }


def _own_network(group: Json, shared: Json, region: str) -> Json:
    """Subnets and security groups of a group, the latter besides those of all nodes."""
    own = section(group, "OverrideVpcConfig")
    common = (*shared.get("SecurityGroupIds", []), _LOGIN_GROUP)
    groups = [each for each in own.get("SecurityGroupIds", []) if each not in common]
    places = own_places(own.get("Subnets", []), {}, region)
    return {**places, **({"security_groups": groups} if groups else {})}


def _security_groups(groups: Sequence[Json], roles: Mapping[str, str]) -> Iterator[Any]:
    """The security groups of the controller and the login nodes."""
    for group in groups:
        if group.get("InstanceGroupName") in roles.values():
            yield from section(group, "OverrideVpcConfig").get("SecurityGroupIds", [])


def _capacity(group: Json) -> Json:
    if group.get("TrainingPlanArn"):
        return {"capacity": {"training_plan": group["TrainingPlanArn"]}}
    return {"capacity": "spot"} if "Spot" in section(group, "CapacityRequirements") else {}


def _checks(group: Json) -> Json:
    words = {name: check for check, name in HEALTH_CHECKS.items()}
    checks = [words[each] for each in group.get("OnStartDeepHealthChecks", []) if each in words]
    return {"health_checks": checks} if checks else {}


def _kubernetes(group: Json) -> Json:
    config = section(group, "KubernetesConfig")
    taints = [
        {
            "key": taint.get("Key"),
            **({"value": taint["Value"]} if taint.get("Value") else {}),
            "effect": taint.get("Effect"),
        }
        for taint in _list(config, "Taints")
    ]
    labels = section(config, "Labels")
    return {**({"labels": labels} if labels else {}), **({"taints": taints} if taints else {})}


def _queues(groups: Sequence[Json], parameters: Json) -> list[Json]:
    """The partitions; one for each group of the same name goes without saying."""
    members: dict[str, list[str]] = {}
    workers = _list(parameters, "worker_groups")
    given = {each.get("instance_group_name"): each.get("partition_name") for each in workers}
    for group in groups:
        own = given.get(group.get("InstanceGroupName"))
        for name in section(group, "SlurmConfig").get("PartitionNames", [own] if own else []):
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
        "one-subnet": len(section(request, "VpcConfig").get("Subnets", [])) > 1,
        "security-groups": any(_is_apart(group, request) for group in groups),
        "operator-tag": on_eks and "SageMaker" not in tags,
    }
    found = [name for name, is_absent in absent.items() if is_absent]
    return {"leave_out": found} if found else {}


def _is_apart(group: Json, request: Json) -> bool:
    """Whether a group is in none of the security groups of all nodes."""
    own = section(group, "OverrideVpcConfig").get("SecurityGroupIds", [])
    common = section(request, "VpcConfig").get("SecurityGroupIds", [])
    return bool(own and common) and not set(own) & set(common)


def _slurm(groups: Sequence[Json]) -> Json:
    by_api = any("SlurmConfig" in group for group in groups)
    entry = [group for group in groups if "OnCreate" in section(group, "LifeCycleConfig")]
    mode = "legacy" if not by_api else "customer-managed" if entry else None
    return {"mode": mode} if mode else {}
