"""Head node, login nodes, and compute resources as node groups."""

from collections import Counter
from typing import Any, NamedTuple

from clustergen.base.secrets import STAND_IN
from clustergen.importing.machines import items, section, tag_map
from clustergen.importing.network import own_places
from clustergen.importing.notes import Notes
from clustergen.importing.parallelcluster.parts import DCV_PORT, EVERYONE, Json, is_true
from clustergen.services.fields import read
from clustergen.targets.parallelcluster.nodes import ROOT_VOLUME


class Named(NamedTuple):
    """A compute resource: its name as node group, unique in the cluster, and its place."""

    name: str
    queue: int
    resource: int


def named(config: Json) -> list[Named]:
    """The compute resources; those whose name several queues use begin with that of the queue."""
    queues = items(config, "Scheduling", "SlurmQueues")
    found = [
        (str(queue.get("Name")), str(resource.get("Name")), q, r)
        for q, queue in enumerate(queues)
        for r, resource in enumerate(items(queue, "ComputeResources"))
    ]
    uses = Counter(name for _, name, _, _ in found)
    return [
        Named(name if uses[name] == 1 else f"{queue}-{name}", q, r) for queue, name, q, r in found
    ]


def has_public_subnet(config: Json) -> bool:
    """Whether the head node has a public address, and a subnet without compute nodes."""
    networking = section(config, "HeadNode", "Networking")
    queues = items(config, "Scheduling", "SlurmQueues")
    shared = [each for queue in queues for each in items(queue, "Networking", "SubnetIds")]
    return is_true(networking.get("ElasticIp")) and networking.get("SubnetId") not in shared


def head(config: Json) -> Json:
    node = section(config, "HeadNode")
    subnet = section(node, "Networking").get("SubnetId")
    return {
        "instance_type": node.get("InstanceType"),
        "image": _image(config, node),
        "root_volume": read(ROOT_VOLUME, section(node, "LocalStorage", "RootVolume")),
        "threads_per_core": _threads(node),
        "subnet": subnet if not _is_placeholder(subnet) and subnet != _first(config) else None,
        "security_groups": _groups(node),
        "ssh_from": section(node, "Ssh").get("AllowedIps", EVERYONE),
        "iam": _iam(node),
    }


def login(config: Json) -> Json | None:
    """The login nodes of the first pool."""
    pools = items(config, "LoginNodes", "Pools")
    return _pool(config, pools[0]) if pools else None


def more_login_pools(config: Json) -> list[Json]:
    """The other pools of login nodes."""
    return [
        {
            "name": pool.get("Name"),
            "grace_time": pool.get("GracetimePeriod"),
            "dcv": desktops(pool),
            **_pool(config, pool),
        }
        for pool in items(config, "LoginNodes", "Pools")[1:]
    ]


def desktops(node: Json) -> Json | None:
    """Amazon DCV on the head node, or on a pool of login nodes."""
    dcv = section(node, "Dcv")
    if not is_true(dcv.get("Enabled")):
        return None
    port, allowed = dcv.get("Port", DCV_PORT), dcv.get("AllowedIps", EVERYONE)
    # A key that says nothing keeps the section.
    return {"port": port, "allowed_from": allowed if allowed != EVERYONE else None}


def _pool(config: Json, pool: Json) -> Json:
    count = pool.get("Count", 1)
    subnets = items(pool, "Networking", "SubnetIds")
    return {
        "instance_type": pool.get("InstanceType"),
        "count": count if count != 1 else None,
        "image": _image(config, pool),
        "subnets": subnets
        if subnets != [_first(config)] and not any(map(_is_placeholder, subnets))
        else None,
        "security_groups": _groups(pool),
        "ssh_from": section(pool, "Ssh").get("AllowedIps"),
        "iam": _iam(pool),
    }


def _image(config: Json, node: Json) -> Any:
    cluster = section(config, "Image").get("CustomAmi")
    return section(node, "Image").get("CustomAmi") or cluster


def _first(config: Json) -> Any:
    """The subnet of the first queue, where head and login nodes are by default."""
    queues = items(config, "Scheduling", "SlurmQueues")
    return next((s for queue in queues for s in items(queue, "Networking", "SubnetIds")), None)


def _is_placeholder(value: Any) -> bool:
    """Whether a value is an output of a foundation of clustergen's."""
    return "${" in str(value)


def _groups(node: Json) -> list[Any]:
    return [group for group in _all_groups(node) if not _is_placeholder(group)]


def _all_groups(node: Json) -> list[Any]:
    networking = section(node, "Networking")
    return items(networking, "SecurityGroups") or items(networking, "AdditionalSecurityGroups")


def entry_groups(config: Json) -> list[Any]:
    """The security groups of the head node and the login nodes."""
    entries = (section(config, "HeadNode"), *items(config, "LoginNodes", "Pools"))
    return [group for node in entries for group in _all_groups(node)]


def _iam(node: Json) -> Json:
    policies = [policy.get("Policy") for policy in items(node, "Iam", "AdditionalIamPolicies")]
    access = [_grant(each) for each in items(node, "Iam", "S3Access")]
    return {
        "policies": [policy for policy in policies if not _is_placeholder(policy)],
        "s3": [each for each in access if not _is_placeholder(each)],
        "role": section(node, "Iam").get("InstanceRole"),
        "instance_profile": section(node, "Iam").get("InstanceProfile"),
    }


def _grant(access: Json) -> Json | str:
    key = access.get("KeyName")
    uri = f"s3://{access.get('BucketName')}" + (f"/{key}" if key else "")
    return {"uri": uri, "write": True} if is_true(access.get("EnableWriteAccess")) else uri


def _threads(node: Json) -> int | None:
    return 1 if is_true(node.get("DisableSimultaneousMultithreading")) else None


def group(config: Json, place: Named, region: str) -> Json:
    """A node group, with what its queue says for all of its compute resources."""
    queue = items(config, "Scheduling", "SlurmQueues")[place.queue]
    resource = items(queue, "ComputeResources")[place.resource]
    settings = section(queue, "ComputeSettings", "LocalStorage")
    efa, checks = section(resource, "Efa"), section(resource, "HealthChecks", "Gpu")
    return {
        "name": place.name,
        **_types(resource),
        "count": _count(resource),
        "capacity": _capacity(queue, resource),
        "efa": efa.get("Enabled") is True,
        "placement": _placement(section(resource, "Networking", "PlacementGroup"), efa),
        "threads_per_core": _threads(resource),
        "image": _image(config, queue),
        "root_volume": read(ROOT_VOLUME, section(settings, "RootVolume")),
        "scratch": section(settings, "EphemeralVolume").get("MountDir", "/scratch")
        if "EphemeralVolume" in settings
        else None,
        "health_checks": ["gpu"] if checks.get("Enabled") is True else None,
        **_node_settings(resource),
        **_places(config, queue, region),
        "security_groups": _groups(queue),
        "iam": _iam(queue),
        "allocation": _allocation(queue),
        "service_name": resource.get("Name") if resource.get("Name") != place.name else None,
        "tags": tag_map(resource),
    }


def _places(config: Json, queue: Json, region: str) -> Json:
    """The zone or the subnets of a queue, unless all queues have the same one."""
    queues = items(config, "Scheduling", "SlurmQueues")
    lists = [items(each, "Networking", "SubnetIds") for each in queues]
    own = items(queue, "Networking", "SubnetIds")
    found = own_places(own, {}, region)
    alike = all(each == lists[0] for each in lists) and len(own) == 1
    return {} if alike and "zone" not in found else found


def _allocation(queue: Json) -> str | None:
    """How EC2 chooses; where there is nothing to choose, the default says nothing."""
    types = [items(each, "Instances") for each in items(queue, "ComputeResources")]
    several = len(items(queue, "Networking", "SubnetIds")) > 1 or any(len(t) > 1 for t in types)
    strategy: str = queue.get("AllocationStrategy", "lowest-price")
    if queue.get("CapacityType") == "CAPACITY_BLOCK":
        return None
    return strategy if several or strategy != "lowest-price" else None


def ask_types(config: Json, groups: list[Named], notes: Notes) -> None:
    """Asks for the types that only a reservation says."""
    for name, q, r in groups:
        path = ("Scheduling", "SlurmQueues", q, "ComputeResources", r)
        queue = items(config, "Scheduling", "SlurmQueues")[q]
        if _types(items(queue, "ComputeResources")[r]) == _UNKNOWN_TYPE:
            text = f"the configuration does not name the type of {name}, only its reservation"
            help = "write it as instance_type; `aws ec2 describe-capacity-reservations` shows it"
            notes.asked(path, text, help, "node_groups")


_UNKNOWN_TYPE = {"instance_type": f"{STAND_IN}type"}


def _types(resource: Json) -> Json:
    several = [each.get("InstanceType") for each in items(resource, "Instances")]
    if several:
        return {"instance_types": several}
    given = resource.get("InstanceType")
    return {"instance_type": given} if given else _UNKNOWN_TYPE


def _count(resource: Json) -> Json | int:
    low, high = resource.get("MinCount", 0), resource.get("MaxCount", 10)
    return high if low == high else {"min": low, "max": high}


def _capacity(queue: Json, resource: Json) -> Json | str | None:
    target = section(resource, "CapacityReservationTarget")
    id = target.get("CapacityReservationId")
    group = target.get("CapacityReservationResourceGroupArn")
    if queue.get("CapacityType") == "SPOT":
        return "spot"
    if id:
        block = queue.get("CapacityType") == "CAPACITY_BLOCK"
        return {"capacity_block" if block else "reservation": id}
    return {"reservation_group": group} if group else None


def _placement(group: Json, efa: Json) -> Json | str | None:
    """Where nodes start; without EFA, saying nothing is not the same as to say that it is off."""
    if group.get("Name"):
        return {"group": group["Name"]}
    if not group and not is_true(efa.get("Enabled")):
        return None
    return "cluster" if group.get("Enabled") is True else "none"


def _node_settings(resource: Json) -> Json:
    """Node parameters; equal priorities are Slurm's Weight, and labels are features."""
    static, dynamic = (resource.get(f"{kind}NodePriority") for kind in ("Static", "Dynamic"))
    weight = {"Weight": static} if static is not None and static == dynamic else {}
    settings = section(resource, "CustomSlurmSettings")
    features = str(settings.get("Feature", "")).split(",")
    labels = dict(each.split("=", 1) for each in features if "=" in each)
    # clustergen names the type first.
    if labels and features[0] == resource.get("InstanceType"):
        del settings["Feature"]
        return {"slurm": weight | settings, "labels": labels}
    return {"slurm": weight | settings}


def partition(settings: Json) -> Json:
    """Partition parameters of a queue."""
    default = str(settings.get("Default", "")).lower() == "yes" or settings.get("Default") is True
    rest = {key: value for key, value in settings.items() if key != "Default"}
    return {"default": True if default else None, "slurm": rest}
