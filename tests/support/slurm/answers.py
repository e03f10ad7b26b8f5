"""What a plan promises about Slurm, and what a running cluster says: two tables to compare."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Protocol

from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.slurm import accounts
from clustergen.spec.quantities import format_slurm_duration
from tests.support.node_network import Run

Table = dict[str, str]
Rows = Iterator[tuple[str, str]]


class Asked(Protocol):
    """A cluster that answers."""

    @property
    def user(self) -> str:
        """An ordinary user who may submit jobs."""

    @property
    def configured(self) -> bool:
        """Whether the bundle has settings of Slurm at all: HyperPod needs scripts for them."""

    def ask(self, script: str) -> str:
        """What a script says to root on the controller."""

    def as_user(self, script: str) -> Run:
        """What it says to that user."""

    def nodes_of(self, group: str) -> list[str]:
        """The nodes of a group that run slurmd."""

    def size_of(self, group: NodeGroup) -> int:
        """How many nodes of a group Slurm should know."""


def differences(plan: Plan, cluster: Asked, *, jobs: bool = True) -> list[str]:
    """Where the cluster is not as planned; without jobs, nodes need not be there."""
    expected = dict(_expected(plan, cluster))
    found = dict(_found(plan, cluster))
    if jobs:
        expected |= dict(_expected_jobs(plan, cluster))
        found |= dict(_jobs(plan, cluster))
    return [
        f"{key}: {value!r} expected, {found.get(key)!r} found"
        for key, value in expected.items()
        if found.get(key) != value
    ]


def _expected(plan: Plan, cluster: Asked) -> Rows:
    yield "queues", " ".join(sorted(queue.name for queue in plan.queues))
    for queue in plan.queues:
        groups = queue.node_groups
        yield f"{queue.name}: nodes", str(sum(cluster.size_of(group) for group in groups))
        if cluster.configured:
            yield f"{queue.name}: default", "YES" if queue.default else "NO"
        yield f"{queue.name}: time limit", _duration(queue.time_limit)
        yield f"{queue.name}: priority", f"{queue.priority or 1} {queue.priority or 1}"
        yield f"{queue.name}: exclusive", str(queue.exclusive)
        for name, value in queue.slurm.items():
            yield f"{queue.name}: {name}", _plain(value)
    for group in plan.node_groups:
        yield f"{group.name}: GPUs", _gpus(group)
        yield f"{group.name}: missing features", ""
        for name, value in group.slurm.items():
            yield f"{group.name}: {name}", _plain(value)
    if cluster.configured:
        for name, value in {**_derived(plan), **plan.slurm.settings}.items():
            yield name, _plain(value)
    if accounts.needed(plan):
        yield from _expected_accounts(plan)
    if plan.target == "parallelcluster":
        for group in plan.node_groups:
            if group.type.ultraserver:
                yield f"{group.name}: blocks", str(group.max)


def _derived(plan: Plan) -> Mapping[str, str]:
    requeue = {"JobRequeue": "1"} if plan.resilience.auto_resume else {}
    limits = plan.limits.slurm_settings
    returns = {"ReturnToService": "2"} if plan.target == "hyperpod-slurm" else {}
    return {"EnforcePartLimits": "ALL", **requeue, **returns, **(limits.kept if limits else {})}


def _expected_accounts(plan: Plan) -> Rows:
    for qos in plan.slurm.qos:
        yield f"QOS {qos.name}", f"{qos.priority} {_plain(','.join(qos.preempts))}".strip()
    for account in plan.slurm.accounts:
        yield f"account {account.name}", f"{account.parent or 'root'} {account.fair_share}"
        for user in account.users:
            yield f"user {user} in {account.name}", _plain(",".join(("normal", *account.qos)))
    members = {user for account in plan.slurm.accounts for user in account.users}
    users = {user.name for user in plan.users} | {accounts.image_user(plan)}
    for user in sorted(users - members):
        yield f"user {user} in {plan.name}", "normal"


def _expected_jobs(plan: Plan, cluster: Asked) -> Rows:
    for queue in plan.queues:
        group = queue.node_groups[0]
        gpus = group.type.gpus if not group.mig else 0
        whole = "a whole node" if queue.exclusive else "a part of a node"
        yield f"{queue.name}: job", f"{cluster.user} with {gpus} GPUs on {whole}"
        if queue.time_limit is not None:
            yield f"{queue.name}: beyond the limit", "refused"


def _found(plan: Plan, cluster: Asked) -> Rows:
    partitions = _records(cluster.ask("scontrol show partition --oneliner"), "PartitionName")
    # HyperPod has this one for all nodes; it is of no queue.
    yield "queues", " ".join(sorted(partitions.keys() - {"dev"}))
    for name, values in partitions.items():
        yield f"{name}: nodes", values["TotalNodes"]
        yield f"{name}: default", values["Default"]
        yield f"{name}: time limit", values["MaxTime"]
        yield f"{name}: priority", f"{values['PriorityTier']} {values['PriorityJobFactor']}"
        whole = values["OverSubscribe"] == "EXCLUSIVE" or values.get("Exclusive") == "NODE"
        yield f"{name}: exclusive", str(whole)
        yield from ((f"{name}: {key}", _plain(value)) for key, value in values.items())
    yield from _found_nodes(plan, cluster)
    yield from _found_settings(plan, cluster)
    if accounts.needed(plan):
        yield from _found_accounts(cluster)


def _found_nodes(plan: Plan, cluster: Asked) -> Rows:
    names = {group.name: (cluster.nodes_of(group.name) or [""])[0] for group in plan.node_groups}
    shown = cluster.ask(f"scontrol show node --oneliner {','.join(names.values())}")
    nodes = _records(shown, "NodeName")
    topology = cluster.ask("scontrol show topology || true")
    for group in plan.node_groups:
        values = nodes[names[group.name]]
        gres = sorted(each.partition("(")[0] for each in re.split(r",(?![^(]*\))", values["Gres"]))
        yield f"{group.name}: GPUs", _gres(gres, mig=bool(group.mig))
        labels = [f"{key}={value}" if value else key for key, value in group.labels.items()]
        has = values["AvailableFeatures"].split(",")
        yield (
            f"{group.name}: missing features",
            " ".join(each for each in labels if each not in has),
        )
        yield from ((f"{group.name}: {key}", _plain(value)) for key, value in values.items())
        blocks = re.findall(rf"BlockName=\S+ .*Nodes=\S*-{group.name}-\[1-(\d+)\]", topology)
        yield f"{group.name}: blocks", " ".join(blocks)


def _found_settings(plan: Plan, cluster: Asked) -> Rows:
    shown = cluster.ask("scontrol show config")
    values = {
        name.strip().lower(): value.strip()
        for name, equals, value in (line.partition("=") for line in shown.splitlines())
        if equals
    }
    for name, asked in {**_derived(plan), **plan.slurm.settings}.items():
        value = values.get(name.lower(), "")
        # Of several flags, those that are asked for must be there.
        flags = [flag for flag in asked.split(",") if flag.lower() in value.lower().split(",")]
        yield name, _plain(",".join(flags) if "," in value and flags else value)


def _found_accounts(cluster: Asked) -> Rows:
    for line in cluster.ask(_SACCTMGR + "qos format=name,priority,preempt").splitlines():
        name, priority, preempts = line.split("|")
        yield f"QOS {name}", f"{priority} {_plain(preempts)}".strip()
    shown = cluster.ask(_SACCTMGR + "associations format=account,user,parentname,share,qos")
    for line in shown.splitlines():
        account, user, parent, share, qos = line.split("|")
        if user:
            yield f"user {user} in {account}", _plain(qos)
        else:
            yield f"account {account}", f"{parent} {share}"


def _jobs(plan: Plan, cluster: Asked) -> Rows:
    said = cluster.as_user("".join(_job_script(queue, cluster) for queue in plan.queues) + "wait")
    for line in said.text.splitlines():
        name, _, answer = line.partition("\t")
        if answer.startswith("beyond"):
            refused = "limit is invalid" in answer
            yield f"{name}: beyond the limit", "refused" if refused else answer
        elif ran := re.fullmatch(r"ran (\w+) gpus=(\S*) cpus=(\d+)\S* of=(\d+)", answer):
            user, gpus, cpus, all_cpus = ran.groups()
            whole = "a whole node" if cpus == all_cpus else "a part of a node"
            number = len([gpu for gpu in gpus.split(",") if gpu])
            yield f"{name}: job", f"{user} with {number} GPUs on {whole}"
        else:
            yield f"{name}: job", answer or said.text


def _job_script(queue: Queue, cluster: Asked) -> str:
    group = queue.node_groups[0]
    node = cluster.nodes_of(group.name)[0]
    gpus = f"--gpus-per-node={group.type.gpus}" if group.type.gpus and not group.mig else ""
    step = "echo ran $(id -un) gpus=$CUDA_VISIBLE_DEVICES cpus=$SLURM_JOB_CPUS_PER_NODE"
    text = f"""
{{
  all=$(scontrol show node {node} | sed -n 's/.*CPUTot=\\([0-9]*\\).*/\\1/p')
  said=$(timeout --signal=KILL 25 srun --immediate=15 --partition={queue.name} --nodelist={node} \\
    --ntasks=1 {gpus} bash -c {shlex.quote(step)} 2>&1 | tail -n 1)
  printf '%s\\t%s of=%s\\n' {queue.name} "$said" "$all"
}} &
"""
    if queue.time_limit is None:
        return text
    minutes = queue.time_limit // 60 + 1
    return f"""{text}
said=$(sbatch --hold --partition={queue.name} --time={minutes} {gpus} --wrap true 2>&1)
printf '%s\\tbeyond: %s\\n' {queue.name} "$(tr '\\n' ' ' <<<"$said")"
"""


_SACCTMGR = "sacctmgr --noheader --parsable2 show "


def _records(shown: str, name: str) -> dict[str, Table]:
    """Lines of words with a value, by the value of the first word."""
    found = {}
    for line in shown.splitlines():
        values = dict(re.findall(r"(\S+?)=(\S*)", line))
        if name in values:
            found[values[name]] = values
    return found


def _duration(seconds: int | None) -> str:
    """As Slurm shows it: no days if there are none."""
    if seconds is None:
        return "UNLIMITED"
    return format_slurm_duration(seconds).removeprefix("0-")


def _gpus(group: NodeGroup) -> str:
    if group.mig:
        return " ".join(sorted(f"{name}:{n * group.type.gpus}" for name, n in group.mig.items()))
    return str(group.type.gpus)


def _gres(words: list[str], *, mig: bool) -> str:
    found = [word.split(":") for word in words if word.startswith("gpu")]
    if mig:
        return " ".join(f"{type}:{count}" for _, type, count in found)
    return str(sum(int(word[-1]) for word in found))


def _plain(value: str) -> str:
    """A value in one form: flags in order, durations in seconds, no units."""
    value = value.strip('"').removesuffix(" sec").removesuffix(" min")
    if days := re.fullmatch(r"(\d+)-(\d+)(?::(\d+):(\d+))?", value):
        day, hour, minute, second = (int(part or 0) for part in days.groups())
        return str(((day * 24 + hour) * 60 + minute) * 60 + second)
    return ",".join(sorted(value.lower().replace("(null)", "").split(",")))
