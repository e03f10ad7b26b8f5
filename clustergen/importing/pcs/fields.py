"""A PCS cluster in the words of the language, as far as it has them."""

from collections.abc import Iterator
from typing import Any, Final

from clustergen.importing import machines, node_scripts, roles
from clustergen.importing.answers import Answers
from clustergen.importing.companion_files import Beside
from clustergen.importing.machines import items, mappings, section
from clustergen.importing.network import network, own_places, ssh_from
from clustergen.importing.notes import Notes
from clustergen.importing.pcs.form import CLUSTER, NODE_GROUPS, QUEUES
from clustergen.importing.settings import Json, linked_name
from clustergen.services.foundation.access import PCS_POLICY
from clustergen.targets.pcs import names
from clustergen.targets.pcs.launch_template import METADATA_HOPS
from clustergen.targets.pcs.limits import ROOT_DEVICES, SECONDS_PER_DAY

_KEEP_FOREVER: Final = -1
_PARTITION: Final = "Default"


def spec(settings: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of the settings of a cluster, without an overlay."""
    cluster = next(iter(section(settings, CLUSTER).values()))
    groups = section(settings, NODE_GROUPS)
    queues = section(settings, QUEUES)
    login = _login(groups, queues, notes)
    compute = {key: group for key, group in groups.items() if key != login}
    tags = {str(key): str(value) for key, value in section(cluster, "Tags").items()}
    name = str(cluster.get("Name") or answers.name)
    given = items(cluster, "Networking", "SecurityGroupIds")
    security = machines.Security.of(map(machines.security_groups, compute.values()), given)
    shared_network = _network(cluster, groups, answers, notes)
    found = {
        "version": 1,
        "name": cluster.get("Name"),
        "region": answers.region,
        "tags": tags,
        "network": {
            **shared_network,
            "security_groups": security.shared,
            **ssh_from(machines.security_groups(groups.get(login, {})), answers.beside, notes),
        },
        "login": _machine(groups[login], answers.beside)
        | own_places(items(groups[login], "SubnetIds"), shared_network, answers.region)
        | {
            "security_groups": machines.Security.of(
                [machines.security_groups(groups[login])], given
            ).own[0]
        }
        if login
        else None,
        "node_groups": [
            {
                **_group(key, group, answers.beside),
                "tags": machines.tags(group, name, tags, key),
                "security_groups": own,
                **own_places(items(group, "SubnetIds"), shared_network, answers.region),
            }
            for (key, group), own in zip(compute.items(), security.own, strict=True)
        ]
        or [machines.missing_group((CLUSTER,), notes)],
        "queues": _queues(queues, compute),
        "slurm": _slurm(cluster),
        **node_scripts.of_cluster(
            [*_nodes(compute, groups.get(login))], answers.beside, notes, _os(groups)
        ),
    }
    options = {
        **_options(cluster),
        **machines.options(groups.values(), METADATA_HOPS),
        "leave_out": security.left_out,
    }
    return {**machines.filled(found), "targets": {"pcs": machines.filled(options)}}


def _os(groups: Json) -> str | None:
    volumes = [v for each in groups.values() for v in machines.volumes(each)]
    found = {os for each in volumes for os, name in ROOT_DEVICES.items() if name == each}
    return found.pop() if len(found) == 1 else None


def _nodes(compute: Json, login: Json | None) -> Iterator[node_scripts.Node]:
    for name, group in compute.items():
        yield node_scripts.Node(name, node_scripts.lifecycle_actions(group))
    if login:
        yield node_scripts.Node("", node_scripts.lifecycle_actions(login), "login")


def _network(cluster: Json, groups: Json, answers: Answers, notes: Notes) -> Json:
    subnets = items(cluster, "Networking", "SubnetIds")
    subnets += [subnet for group in groups.values() for subnet in items(group, "SubnetIds")]
    return network(subnets, (CLUSTER,), "a PCS cluster does not name its VPC", answers, notes)


def _login(groups: Json, queues: Json, notes: Notes) -> str:
    """The name of the group of login nodes: static, in no queue, and called as clustergen does."""
    used = {name for queue in queues.values() for name in members(queue)}
    free = [name for name, group in groups.items() if name not in used and _is_static(group)]
    if names.LOGIN in free:
        return names.LOGIN
    for name in (each for each in free if names.LOGIN in each.lower()):
        text = f"{name} stays a node group in no queue: `login` would rename it to {names.LOGIN}"
        notes.decided((NODE_GROUPS, name), text, "node_groups")
    return ""


def _is_static(group: Json) -> bool:
    scaling = section(group, "ScalingConfiguration")
    low, high = scaling.get("MinInstanceCount"), scaling.get("MaxInstanceCount")
    return str(low) == str(high) != "0"


def members(queue: Json) -> list[str]:
    """The node groups of a queue."""
    configured = mappings(queue, "ComputeNodeGroupConfigurations")
    return [linked_name(each.get("ComputeNodeGroupId")) for each in configured]


def _image(group: Json) -> Any:
    image = group.get("AmiId") or machines.template(group).get("ImageId")
    return image if isinstance(image, str) and image.startswith("ami-") else None


def _types(group: Json) -> list[Any]:
    return [each.get("InstanceType") for each in mappings(group, "InstanceConfigs")]


def _machine(group: Json, beside: Beside) -> Json:
    number = machines.number(section(group, "ScalingConfiguration").get("MinInstanceCount"))
    return {
        "instance_type": next(iter(_types(group)), None),
        "count": number if number != 1 else None,
        "image": _image(group),
        "root_volume": machines.fields(machines.template(group))["root_volume"],
        "iam": roles.of_foundation(group.get("IamInstanceProfileArn"), beside, (PCS_POLICY,)),
    }


def _group(name: str, group: Json, beside: Beside) -> Json:
    scaling = section(group, "ScalingConfiguration")
    types, mig, data = _types(group), node_scripts.partitions(group), machines.template(group)
    given = slurm_settings(group, "SlurmConfiguration", "SlurmCustomSettings")
    if mig:
        given.pop("Gres", None)  # it follows from the partitions of GPUs
    return {
        "name": name,
        **({"instance_type": types[0]} if len(types) == 1 else {"instance_types": types}),
        "count": machines.count(scaling.get("MinInstanceCount"), scaling.get("MaxInstanceCount")),
        "capacity": "spot" if group.get("PurchaseOption") == "SPOT" else machines.reservation(data),
        **machines.fields(data),
        "image": _image(group),
        "slurm": given,
        "iam": roles.of_foundation(group.get("IamInstanceProfileArn"), beside, (PCS_POLICY,)),
        **node_scripts.of_group(node_scripts.lifecycle_actions(group)),
        "mig": mig,
    }


def slurm_settings(node: Json, *keys: str) -> Json:
    return {
        str(each.get("ParameterName")): str(each.get("ParameterValue"))
        for each in mappings(node, *keys)
    }


def _queues(queues: Json, compute: Json) -> list[Json]:
    found = []
    for name, queue in queues.items():
        given = slurm_settings(queue, "SlurmConfiguration", "SlurmCustomSettings")
        default = given.pop(_PARTITION, "").lower() == "yes"
        used = [member for member in members(queue) if member in compute]
        if used:
            found.append(
                {
                    "name": name,
                    "node_groups": used,
                    "default": True if default else None,
                    "slurm": given,
                }
            )
    return found


def _slurm(cluster: Json) -> Json:
    configured = section(cluster, "SlurmConfiguration")
    idle = configured.get("ScaleDownIdleTimeInSeconds")
    accounting = section(configured, "Accounting")
    given = slurm_settings(configured, "SlurmCustomSettings")
    return {
        "version": str(section(cluster, "Scheduler").get("Version")),
        "idle_timeout": f"{idle}s" if machines.number(idle) and str(idle) != "600" else None,
        "accounting": "managed" if accounting.get("Mode") == "STANDARD" else None,
        "settings": {name: value for name, value in given.items() if value},
        "slurmdbd_settings": slurm_settings(configured, "SlurmdbdCustomSettings"),
        "cgroup_settings": slurm_settings(configured, "CgroupCustomSettings"),
    }


def _options(cluster: Json) -> Json:
    configured = section(cluster, "SlurmConfiguration")
    days = section(configured, "Accounting").get("DefaultPurgeTimeInDays")
    keeps = days in (None, _KEEP_FOREVER, str(_KEEP_FOREVER))
    return {
        "size": str(cluster.get("Size", "auto")).lower(),
        "rest": True if section(configured, "SlurmRest").get("Mode") == "STANDARD" else None,
        "purge_accounting": None if keeps else f"{machines.number(days) * SECONDS_PER_DAY}s",
    }
