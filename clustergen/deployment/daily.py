"""What people do every day with a cluster that runs."""

import datetime
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment import cloudformation, foundation, kubernetes, ownership
from clustergen.deployment.cluster import Cluster
from clustergen.deployment.nodes import Node
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop

_HOUR: Final = 3600


def status(run: Run, cluster: Cluster) -> None:
    """Show what exists: stacks, node groups and nodes."""
    stacks = [each for _, each in ownership.concerned(run)]
    states = [["stack", s.name, cloudformation.status(run.world, s.name)] for s in stacks]
    rows = [row for row in states if row[-1]]
    if cluster.exists():
        rows += cluster.state()
        rows += [["node", *node] for node in sorted(cluster.nodes())]
        if cluster.is_paused(foundation.outputs(run)):
            rows.append(["paused"])
    else:
        run.note(f"{run.bundle.cluster} does not exist in {run.bundle.region}.")
    run.world.screen.result([word for word in row if word] for row in rows)


def login(run: Run, cluster: Cluster) -> None:
    """Open a shell on a node; without one, let kubectl reach a cluster of Kubernetes."""
    region = run.bundle.region
    if cluster.eks_cluster and not run.options.node:
        _attach(run, kubernetes.kubeconfig(region, cluster.eks_cluster))
        run.note("kubectl reaches the cluster. `--login --node ID` opens a shell on a node.")
        return
    if not run.bundle.sessions:
        raise Stop(
            "the spec leaves out `session-manager`, so only SSH reaches nodes: README.md says how."
        )
    words = ["aws", "ssm", "start-session", "--region", region, "--target"]
    node = _chosen(run, _running(cluster), groups=True)
    _attach(run, [*words, cluster.session(node)], "session-manager-plugin")


def _chosen(run: Run, found: list[Node], *, groups: bool = False) -> Node:
    """The one of these nodes that the user wants; without a word, the first.

    Only ``groups`` is about any node of a group.
    """
    wanted = run.options.node
    if wanted:
        names = ((node, (node.id, node.address, node.group if groups else "")) for node in found)
        found = [node for node, known in names if wanted in known]
    if not found:
        what = f"node {wanted}" if wanted else f"node of {run.bundle.cluster}"
        raise Stop(f"no {what} runs: see deploy.sh --status.")
    return found[0]


def _running(cluster: Cluster) -> list[Node]:
    """The nodes that run, those where people log in first."""
    found = [node for node in cluster.nodes() if node.runs] if cluster.exists() else []
    order = [*cluster.entrances]
    place = {group: order.index(group) for group in order}
    return sorted(found, key=lambda node: (place.get(node.group, len(order)), node))


def drain(run: Run, cluster: Cluster) -> None:
    """Let the jobs of a node end, and keep others off it."""
    running = _running(cluster)
    node = _chosen(run, running)
    others = (each for each in running if each.id != node.id)
    way = cluster.drain(node, next(others, node))
    run.note(f"{node.id} gets no more jobs. To take that back: {way}.")


def test(run: Run, cluster: Cluster) -> None:
    """Run the tests of the bundle."""
    if not cluster.exists():
        raise Stop(f"{run.bundle.cluster} does not exist in {run.bundle.region}: see --status.")
    group = run.options.node
    if group and group not in run.bundle.groups:
        raise Stop(f"{group} is no node group: --test takes {', '.join(run.bundle.groups)}.")
    cluster.test(group, next(iter(_running(cluster)), None))
    run.note("No test has failed.")


def replace(run: Run, cluster: Cluster) -> None:
    """End a node, with its jobs."""
    # Also one that does not run.
    there = [each for each in cluster.nodes() if not each.ends] if cluster.exists() else []
    node = _chosen(run, there)
    run.confirm_deletion(f"what runs on {node.id} of {node.group}, and the node", node.id)
    cluster.replace(node)
    run.note(f"{node.id} ends. Where its group keeps its size, another node starts: see --status.")


def _attach(run: Run, words: list[str], *more: str) -> None:
    run.world.require(words[0], *more)
    run.world.screen.command(words)
    if code := run.world.programs.attach(words):
        raise Stop(
            f"it ended with status {code}, for the reason above. Fix it, and run this again."
        )


def logs(run: Run, cluster: Cluster) -> None:
    """Show what was logged in the last hour."""
    if not cluster.exists():
        raise Stop(f"{run.bundle.cluster} does not exist in {run.bundle.region}: see --status.")
    node, ids = run.options.node, _ids(run, cluster)
    groups = cluster.log_groups()
    found = [event for group in groups for event in _events(run, group)]
    shown = [each for each in found if any(id in each.get("logStreamName", "") for id in ids)]
    shown.sort(key=lambda each: each.get("timestamp", 0))
    run.world.screen.result(map(_line, shown))
    tail = f"aws logs tail --region {run.bundle.region} GROUP --since 1d"
    of_node = f" of {node}" if node else ""
    what = f"{len(shown)} events{of_node} of the last hour, from {', '.join(groups)}."
    run.note(f"{what} For more: {tail}")


def _ids(run: Run, cluster: Cluster) -> list[str]:
    """What the names of log streams contain. In a shared cluster, all nodes have one log group.

    Nodes that ended have logs, too.
    """
    wanted = run.options.node
    if not wanted:
        apart = cluster.shared and cluster.logs_by_node
        return [node.id for node in cluster.nodes()] if apart else [""]
    if not cluster.logs_by_node:
        raise Stop("the log streams of this service do not name nodes: leave out --node.")
    found = [each.id for each in cluster.nodes() if wanted in (each.id, each.group, each.address)]
    if not found and not wanted.startswith("i-"):
        raise Stop(f"no node or node group {wanted} is there: see deploy.sh --status.")
    return found or [wanted]


def _events(run: Run, group: str) -> Iterator[Json]:
    since = int(run.world.clock.time() - _HOUR) * 1000
    call, member = "logs:FilterLogEvents", "events"
    found = run.world.ask_all(call, member, logGroupName=group, startTime=since)
    if found is None:
        run.note(f"There is no log group {group}: nothing has been logged there.")
    yield from found or ()


def _line(event: Json) -> list[str]:
    time = datetime.datetime.fromtimestamp(event.get("timestamp", 0) / 1000, datetime.UTC)
    stream, message = event.get("logStreamName", ""), event.get("message", "")
    return [f"{time:%Y-%m-%dT%H:%M:%SZ}", stream, message.rstrip()]


SHOWS: Final[Mapping[str, Callable[[Run, Cluster], None]]] = {
    "status": status,
    "login": login,
    "logs": logs,
}
"""These change nothing."""
ACTIONS: Final = {**SHOWS, "test": test, "drain": drain, "replace": replace}
