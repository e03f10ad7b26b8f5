"""A cluster configuration in the words of the language, as far as it has them."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from clustergen.importing import node_scripts
from clustergen.importing.answers import Answers
from clustergen.importing.machines import filled, items, section, tag_map
from clustergen.importing.network import network, ssh_from, with_zone
from clustergen.importing.notes import Notes
from clustergen.importing.parallelcluster import nodes, partitions, scripts, storage
from clustergen.importing.parallelcluster.nodes import Named
from clustergen.importing.parallelcluster.options import has_script_access, options
from clustergen.importing.parallelcluster.parts import Json
from clustergen.importing.regions import located
from clustergen.spec.quantities import format_duration

_IDLE = 10


def spec(config: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of a configuration, without an overlay."""
    named = str(config.get("Region") or "")
    answers = located(answers, named, ("Region",), "configuration", notes)
    groups = nodes.named(config)
    nodes.ask_types(config, groups, notes)
    called = node_scripts.called(scripts.nodes(config, groups))
    efa = node_scripts.over_efa(called)
    run = scripts.merged(config, groups)
    granted = [each["run"] for each in run] if has_script_access(config) else []
    found = {
        "version": 1,
        "name": answers.name,
        "region": answers.region,
        "tags": {key: str(value) for key, value in tag_map(config).items()},
        "network": _network(config, answers, notes)
        | ssh_from(nodes.entry_groups(config), answers.beside, notes),
        "head_node": _without(nodes.head(config), granted),
        "login": nodes.login(config),
        "node_groups": [
            _without(nodes.group(config, each, answers.region), granted) for each in groups
        ],
        "queues": _queues(config, groups),
        "storage": storage.storage(items(config, "SharedStorage"), answers.beside, notes, efa=efa),
        "software": {
            "os": section(config, "Image").get("Os"),
            "containers": node_scripts.containers(called),
            "scripts": run,
        },
        "slurm": _slurm(section(config, "Scheduling", "SlurmSettings")),
        "monitoring": _monitoring(section(config, "Monitoring")) | node_scripts.monitoring(called),
    }
    return {**filled(found), "targets": {"parallelcluster": filled(options(config))}}


def _without(node: Json, granted: Sequence[str]) -> Json:
    """A node without grants for the user's scripts, which clustergen makes itself."""
    iam = node["iam"]
    return {**node, "iam": {**iam, "s3": [each for each in iam["s3"] if each not in granted]}}


def _network(config: Json, answers: Answers, notes: Notes) -> Json:
    queues = items(config, "Scheduling", "SlurmQueues")
    private = [subnet for each in queues for subnet in items(each, "Networking", "SubnetIds")]
    place, silence = ("HeadNode", "Networking", "SubnetId"), "the configuration does not name its"
    found = network(private, place, f"{silence} VPC", answers, notes)
    if "zone" in found and not answers.zones.get(""):
        notes.asked(place, f"{silence} zone", "use --zone", "network")
    # ElasticIp decides whether a head node has a public address, whatever its subnet.
    if "vpc" in found and nodes.has_public_subnet(config):
        public = str(section(config, "HeadNode", "Networking").get("SubnetId"))
        found["public_subnets"] = [with_zone(public, answers)]
    return found


def _queues(config: Json, groups: Sequence[Named]) -> list[Json]:
    """The queues; one for each node group of the same name goes without saying."""
    queues = [
        {
            "name": queue.get("Name"),
            "node_groups": [each.name for each in groups if each.queue == index],
            "exclusive": True if queue.get("JobExclusiveAllocation") is True else None,
            **nodes.partition(section(queue, "CustomSlurmSettings")),
        }
        for index, queue in enumerate(items(config, "Scheduling", "SlurmQueues"))
    ]
    names = {(each.queue, each.resource): each.name for each in groups}
    queues += partitions.queues(config, names)
    plain = all(
        queue["node_groups"] == [queue["name"]] and not any(list(queue.values())[2:])
        for queue in queues
    )
    return [] if plain else queues


def _slurm(settings: Json) -> Json:
    idle = settings.get("ScaledownIdletime", _IDLE)
    return {
        "idle_timeout": _idle_timeout(idle),
        "accounting": _accounting(section(settings, "Database")),
        "settings": dict(_settings(items(settings, "CustomSlurmSettings"))),
    }


def _idle_timeout(minutes: Any) -> str | None:
    if not isinstance(minutes, int) or minutes == _IDLE or not minutes:
        return None
    return format_duration(minutes * 60) if minutes > 0 else "never"


def _accounting(database: Json) -> Json | None:
    uri = re.fullmatch(r"(?:mysql://)?([A-Za-z0-9.-]+)(?::([0-9]+))?", str(database.get("Uri", "")))
    if not uri or not database.get("PasswordSecretArn"):
        return None
    return {
        "endpoint": uri[1],
        "port": int(uri[2]) if uri[2] else None,
        "user": database.get("UserName"),
        "secret": database.get("PasswordSecretArn"),
        "database": database.get("DatabaseName"),
    }


def _settings(lines: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Lines of one setting; lines about partitions and nodes have several words."""
    for line in lines:
        words = section(line)
        if len(words) == 1 and next(iter(words)).lower() not in ("partitionname", "nodename"):
            yield from words.items()


def _monitoring(monitoring: Json) -> Json:
    logs = section(monitoring, "Logs", "CloudWatch")
    days = logs.get("RetentionInDays", 180)
    shown = section(monitoring, "Dashboards", "CloudWatch").get("Enabled", True)
    return {
        "dashboards": None if shown is True else "none",
        "log_retention": "forever" if days == 0 else f"{days}d",
    }
