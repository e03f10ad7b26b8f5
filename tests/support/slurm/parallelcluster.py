"""The configuration that ParallelCluster 3.16 creates from cluster.yaml.

Seen in its cookbook, whose public copy is of 2024, before 3.16: the base of slurm.conf, how nodes
and partitions are called and what their lines say, and that CustomSlurmSettings come last in each.
https://github.com/aws/aws-parallelcluster-cookbook/tree/develop/cookbooks/aws-parallelcluster-slurm

Assumed, as the public copy is older: that 3.16 still writes this, without what Slurm has dropped
since (AccountingStorageUser, NoAddrCache), and topology/block with one block for each compute
resource of an UltraServer, as its guide says.
https://docs.aws.amazon.com/parallelcluster/latest/ug/support-nvidia-gb200-v3.html
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from clustergen.base.text_lists import words
from tests.support.slurm import configuration as slurm

_BASE: slurm.Lines = words("""
    ReconfigFlags=KeepPartState
    SlurmctldParameters=idle_on_node_suspend,power_save_min_interval=30,cloud_dns SuspendTimeout=120
    ResumeRate=0 SuspendRate=0 PrivateData=cloud Prolog=/opt/slurm/etc/scripts/prolog.d/*
    Epilog=/opt/slurm/etc/scripts/epilog.d/* PrologFlags=Alloc
    SchedulerParameters=nohold_on_prolog_fail SlurmctldTimeout=300 SlurmdTimeout=180
    UnkillableStepTimeout=180 MessageTimeout=60 AuthInfo=cred_expire=70 EnforcePartLimits=ALL
    ReturnToService=1 GresTypes=gpu SelectType=select/cons_tres SelectTypeParameters=CR_CPU
""")
COUNT_GPUS = "[[ ! -e /rig/lost-gpu-$SLURMD_NODENAME ]]"
"""A prolog that fails on a node whose GPU is lost."""
# The health check of a node's GPUs is `dcgmi diag` in the prolog; nodes here have no DCGM. A prolog
# that fails drains the node.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-prolog-epilog-v3.html
_HEALTH_CHECK = f"#!/bin/bash\n{COUNT_GPUS}\n"
_ULTRASERVERS = ("p6e-gb200.36xlarge",)


def configuration(files: Mapping[str, str]) -> slurm.Configuration:
    """The files of the head node."""
    scheduling = yaml.safe_load(files["cluster.yaml"])["Scheduling"]
    settings, queues = scheduling["SlurmSettings"], scheduling["SlurmQueues"]
    nodes = {queue["Name"]: tuple(_nodes(queue)) for queue in queues}
    every = tuple(each for some in nodes.values() for each in some)
    database = settings.get("Database")
    accounting = (
        ("AccountingStorageType=accounting_storage/slurmdbd", "AccountingStorageHost=head")
        if database
        else ()
    )
    topology = tuple(_blocks(every))
    custom = settings.get("CustomSlurmSettings", [])
    partitions = [
        _partition(queue, nodes[queue["Name"]], first=queue == queues[0]) for queue in queues
    ]
    return slurm.Configuration(
        cluster=(
            *_BASE,
            *(("SelectTypeParameters=CR_CPU_Memory",) if _memory(settings) else ()),
            *accounting,
            *(("TopologyPlugin=topology/block",) if topology else ()),
        ),
        nodes=every,
        # What stands last wins: lines of the user's, partitions of their own among them.
        partitions=(*partitions, *(line for each in custom for line in _custom(each))),
        gres=tuple(each.devices() for each in every if each.gpus),
        cgroup=("ConstrainCores=yes",),
        topology=topology,
        accounting=bool(database),
        accounts=files.get("scripts/accounts.sh", ""),
        accounts_table=files.get("accounts.tsv", ""),
        programs={
            "/opt/slurm/etc/scripts/prolog.d/90_pcluster_health_check_manager": (
                _HEALTH_CHECK if _checks_gpus(queues) else "#!/bin/bash\n"
            ),
            "/opt/slurm/etc/scripts/epilog.d/90_pcluster_noop": "#!/bin/bash\n",
        },
    )


def _checks_gpus(queues: Sequence[Mapping[str, Any]]) -> bool:
    resources = [resource for queue in queues for resource in queue["ComputeResources"]]
    return any(each.get("HealthChecks", {}).get("Gpu", {}).get("Enabled") for each in resources)


def _memory(settings: Mapping[str, Any]) -> bool:
    return bool(settings.get("EnableMemoryBasedScheduling"))


def _nodes(queue: Mapping[str, Any]) -> Iterator[slurm.Nodes]:
    """Static nodes are `-st-`, dynamic ones `-dy-`; the feature tells them apart, too."""
    for resource in queue["ComputeResources"]:
        names = [each["InstanceType"] for each in resource.get("Instances", [])]
        type = slurm.instance_type(resource.get("InstanceType") or names[0])
        least, most = resource.get("MinCount", 0), resource.get("MaxCount", 10)
        smt = not resource.get("DisableSimultaneousMultithreading", False)
        cpus = type.vcpus if smt else type.vcpus // type.threads_per_core
        for kind, mark, count in (("static", "st", least), ("dynamic", "dy", most - least)):
            if count:
                features = [kind, *([type.name] if len(names) < 2 else []), resource["Name"]]
                features += ["efa"] * bool(resource.get("Efa", {}).get("Enabled"))
                features += ["gpu"] * bool(type.gpus)
                own = {"Feature": ",".join(features), **_priority(resource, kind)}
                own |= resource.get("CustomSlurmSettings", {})
                name = f"{queue['Name']}-{mark}-{resource['Name']}"
                about = slurm.node_words(type, cpus, own)
                yield slurm.Nodes(name, resource["Name"], count, type, about)


def _priority(resource: Mapping[str, Any], kind: str) -> dict[str, str]:
    """Static nodes first, if the configuration says nothing else."""
    given = {"static": ("StaticNodePriority", 1), "dynamic": ("DynamicNodePriority", 1000)}[kind]
    return {"Weight": str(resource.get(*given))}


def _partition(queue: Mapping[str, Any], nodes: tuple[slurm.Nodes, ...], *, first: bool) -> str:
    default = {"Default": "YES"} if first else {}
    exclusive = {"OverSubscribe": "EXCLUSIVE"} if queue.get("JobExclusiveAllocation") else {}
    return slurm.line(
        "PartitionName",
        queue["Name"],
        {"Nodes": slurm.named(nodes), "MaxTime": "INFINITE", "State": "UP", **default, **exclusive}
        | queue.get("CustomSlurmSettings", {}),
    )


def _custom(settings: Mapping[str, Any]) -> slurm.Lines:
    """One item of CustomSlurmSettings is one line."""
    return (" ".join(slurm.assignments({key: str(value) for key, value in settings.items()})),)


def _blocks(nodes: tuple[slurm.Nodes, ...]) -> Iterator[str]:
    found = [each for each in nodes if each.type.name in _ULTRASERVERS]
    for number, each in enumerate(found, start=1):
        yield f"BlockName=Block{number} Nodes={each.all}"
    if found:
        yield f"BlockSizes={','.join(str(size) for size in sorted({n.count for n in found}))}"
