"""The configuration that AWS PCS creates from the template of a cluster.

Public: the names of the settings that a cluster, a queue and a node group can have, and that GPUs
are resources with the record of their type in gres.conf.
https://docs.aws.amazon.com/pcs/latest/userguide/slurm-custom-settings.html

Assumed, as its slurm.conf is not public: the base below (nodes in the cloud, one line for each node
group and queue, cons_tres with CR_CPU), and that settings replace those of the base.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.text_lists import words
from tests.support.slurm import configuration as slurm

_BASE: slurm.Lines = words("""
    SlurmctldParameters=idle_on_node_suspend,cloud_dns PrivateData=cloud ReturnToService=1
    TreeWidth=65533 GresTypes=gpu SelectType=select/cons_tres SelectTypeParameters=CR_CPU
""")
Properties = Mapping[str, Any]


def configuration(files: Mapping[str, str]) -> slurm.Configuration:
    """The files of the controller."""
    resources = json.loads(files["cluster.template.json"])["Resources"]
    [cluster] = _of("Cluster", resources).values()
    settings = cluster.get("SlurmConfiguration", {})
    queues = _of("Queue", resources)
    wanted = [name for queue in queues.values() for name in _groups(queue)]
    groups = _of("ComputeNodeGroup", resources)
    nodes = {name: _nodes(groups[name]) for name in dict.fromkeys(wanted)}
    accounting = settings.get("Accounting", {}).get("Mode") == "STANDARD"
    database = (
        ("AccountingStorageType=accounting_storage/slurmdbd", "AccountingStorageHost=head")
        if accounting
        else ()
    )
    return slurm.Configuration(
        cluster=(*_BASE, *database, *slurm.assignments(_settings(settings, "SlurmCustomSettings"))),
        nodes=tuple(nodes.values()),
        partitions=tuple(
            _partition(queue, [nodes[name] for name in _groups(queue)]) for queue in queues.values()
        ),
        gres=tuple(line for name, each in nodes.items() for line in _gres(groups[name], each)),
        cgroup=slurm.assignments(_settings(settings, "CgroupCustomSettings")),
        accounting=accounting,
        slurmdbd=slurm.assignments(_settings(settings, "SlurmdbdCustomSettings")),
        accounts=files.get("scripts/accounts.sh", ""),
        accounts_table=files.get("accounts.tsv", ""),
        # A node's first script puts it there.
        programs={
            value: files["scripts/imex.sh"]
            for name, value in _settings(settings, "SlurmCustomSettings").items()
            if name == "Prolog" and "scripts/imex.sh" in files
        },
    )


def _of(kind: str, resources: Mapping[str, Any]) -> dict[str, Properties]:
    return {
        name: each["Properties"]
        for name, each in resources.items()
        if each["Type"] == f"AWS::PCS::{kind}"
    }


def _groups(queue: Properties) -> list[str]:
    """The logical ids of a queue's node groups."""
    given = queue.get("ComputeNodeGroupConfigurations", [])
    return [each["ComputeNodeGroupId"]["Fn::GetAtt"][0] for each in given]


def _settings(configured: Properties | None, name: str) -> dict[str, str]:
    given = (configured or {}).get(name, [])
    return {each["ParameterName"]: each["ParameterValue"] for each in given}


def _own(properties: Properties) -> dict[str, str]:
    return _settings(properties.get("SlurmConfiguration"), "SlurmCustomSettings")


def _nodes(group: Properties) -> slurm.Nodes:
    type = slurm.instance_type(group["InstanceConfigs"][0]["InstanceType"])
    count = group["ScalingConfiguration"]["MaxInstanceCount"]
    words = slurm.node_words(type, type.vcpus, _own(group))
    return slurm.Nodes(group["Name"], group["Name"], count, type, words)


def _partition(queue: Properties, nodes: list[slurm.Nodes]) -> str:
    return slurm.line(
        "PartitionName",
        queue["Name"],
        {"Nodes": slurm.named(nodes), "State": "UP", "MaxTime": "INFINITE", **_own(queue)},
    )


def _gres(group: Properties, nodes: slurm.Nodes) -> Iterator[str]:
    """Records of the group's own, or that of its type; a GPU that is divided has no file here."""
    records = (group.get("SlurmConfiguration") or {}).get("GresCustomSettings", [])
    if not records and nodes.gpus:
        yield nodes.devices()
    for part in nodes.words.get("Gres", "").split(",") if records else []:
        name, type, count = part.split(":")
        yield f"NodeName={nodes.all} Name={name} Type={type} Count={count}"
