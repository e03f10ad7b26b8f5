"""``targets.parallelcluster``: options that only this target has."""

from collections.abc import Iterator
from typing import Any, Final

from clustergen.importing.machines import items, section
from clustergen.importing.parallelcluster.nodes import (
    desktops,
    has_public_subnet,
    more_login_pools,
    named,
)
from clustergen.importing.parallelcluster.parts import Json, is_true, nodes
from clustergen.services.fields import read
from clustergen.targets.parallelcluster.directory import DIRECTORY
from clustergen.targets.parallelcluster.emit import DEFAULT_USER, TIMEOUTS
from clustergen.targets.parallelcluster.permissions import SESSION_POLICY
from clustergen.targets.parallelcluster.scheduling import DNS

_BUCKET: Final = "${ScriptsBucketName}"
_GROUP: Final = "${ClusterSecurityGroupId}"


def options(config: Json) -> Json:
    head, scheduling = section(config, "HeadNode"), section(config, "Scheduling")
    settings = section(scheduling, "SlurmSettings")
    update = settings.get("QueueUpdateStrategy", "COMPUTE_FLEET_STOP")
    strategy = scheduling.get("ScalingStrategy")
    directory = section(config, "DirectoryService")
    imds = section(config, "Imds").get("ImdsSupport", "v2.0")
    return {
        "key_name": section(head, "Ssh").get("KeyName"),
        "scaling_strategy": strategy if strategy != "all-or-nothing" else None,
        "queue_update_strategy": str(update).lower().replace("_", "-"),
        "login_pool": _login_pool(items(config, "LoginNodes", "Pools")),
        "more_login_pools": more_login_pools(config),
        "dcv": desktops(head),
        "elastic_ip": _elastic_ip(config),
        "directory": {
            **read(DIRECTORY, directory),
            "sssd": section(directory, "AdditionalSssdConfigs"),
        },
        "dns": read(DNS, section(settings, "Dns")),
        "proxy": _proxy(config),
        "shared_folders": "efs" if str(head.get("SharedStorageType")).lower() == "efs" else None,
        "bucket": config.get("CustomS3Bucket"),
        "detailed_monitoring": _true(section(config, "Monitoring").get("DetailedMonitoring")),
        "memory_scheduling": _true(settings.get("EnableMemoryBasedScheduling")),
        "imds": imds if imds != "v2.0" else None,
        "imds_for_all": True if section(head, "Imds").get("Secured") in (False, "false") else None,
        "permissions_boundary": section(config, "Iam").get("PermissionsBoundary"),
        "resource_prefix": section(config, "Iam").get("ResourcePrefix"),
        "timeouts": read(TIMEOUTS, section(config, "DevSettings")),
        "default_user": read(DEFAULT_USER, section(config, "DeploymentSettings")),
        "leave_out": list(_left_out(config)),
        "own_security_groups": [] if _all_own(config) else list(_own(config)),
    }


def _true(value: Any) -> bool | None:
    return True if is_true(value) else None


def has_hook(config: Json) -> bool:
    """Whether head and login nodes run their scripts with clustergen's own."""
    return "/hook.sh" in str(section(config, "HeadNode", "CustomActions"))


def has_script_access(config: Json) -> bool:
    """Whether nodes may read clustergen's scripts, and so the user's."""
    access = items(config, "HeadNode", "Iam", "S3Access")
    return _BUCKET in [each.get("BucketName") for each in access]


def _left_out(config: Json) -> Iterator[str]:
    known = {
        "hook": has_hook(config),
        "script-access": has_script_access(config),
        "security-groups": _GROUP in str(config),
        "session-manager": SESSION_POLICY["Policy"] in str(config),
    }
    yield from (word for word, is_there in known.items() if not is_there)
    attached = [section(each, "EfsSettings") for each in items(config, "SharedStorage")]
    plain = [efs for efs in attached if not is_true(efs.get("EncryptionInTransit"))]
    if any(efs.get("FileSystemId") for efs in plain):
        yield "efs-tls"
    if _all_own(config):
        yield "service-groups"
    queues = items(config, "Scheduling", "SlurmQueues")
    marks = [q for q in queues if "Default" in section(q, "CustomSlurmSettings")]
    lines = items(config, "Scheduling", "SlurmSettings", "CustomSlurmSettings")
    partitions = [line for line in lines if "PartitionName" in line]
    if len(queues) + len(partitions) > 1 and not marks:
        yield "default-queue"


def _all_own(config: Json) -> bool:
    """Whether no node is in the security groups of ParallelCluster."""
    return all(map(_has_own, nodes(config)))


def _has_own(node: Json) -> bool:
    return bool(items(node, "Networking", "SecurityGroups"))


def _own(config: Json) -> Iterator[str]:
    """The nodes that are not in these groups."""
    if _has_own(section(config, "HeadNode")):
        yield "head"
    pools = items(config, "LoginNodes", "Pools")
    if pools and all(map(_has_own, pools)):
        yield "login"
    queues = items(config, "Scheduling", "SlurmQueues")
    yield from (each.name for each in named(config) if _has_own(queues[each.queue]))


def _proxy(config: Json) -> Any:
    proxies = [
        section(each, "Networking", "Proxy").get("HttpProxyAddress") for each in nodes(config)
    ]
    return proxies[0] if all(proxy == proxies[0] for proxy in proxies) else None


def _login_pool(pools: list[Any]) -> Json | None:
    if not pools:
        return None
    name, grace = pools[0].get("Name"), pools[0].get("GracetimePeriod")
    return {
        "name": name if name != "login" else None,
        "grace_time": grace if grace != 10 else None,
        "dcv": desktops(pools[0]),
    }


def _elastic_ip(config: Json) -> Any:
    """The address of the head node, where it does not follow from a public subnet."""
    networking = section(config, "HeadNode", "Networking")
    given, subnet = networking.get("ElasticIp"), str(networking.get("SubnetId"))
    if str(given).startswith("eipalloc-"):
        return given
    # An existing subnet is public if the node has an address: only clustergen's own are known.
    follows = "Public" in subnet if subnet.startswith("${") else has_public_subnet(config)
    return None if is_true(given) == follows else is_true(given)
