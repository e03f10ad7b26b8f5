"""Custom actions of all nodes."""

from collections.abc import Iterator, Sequence
from typing import Final

from clustergen.importing import merging
from clustergen.importing.machines import items, section
from clustergen.importing.merging import Run
from clustergen.importing.node_scripts import Action, Node
from clustergen.importing.parallelcluster.nodes import Named
from clustergen.importing.parallelcluster.options import has_hook
from clustergen.importing.parallelcluster.parts import Json, actions
from clustergen.targets.parallelcluster.actions import VERIFIED

_WHEN: Final = {
    "OnNodeStart": "start",
    "OnNodeConfigured": "configured",
    "OnNodeUpdated": "updated",
}


def merged(config: Json, groups: Sequence[Named]) -> list[Json]:
    """The user's scripts of the head node, the login nodes and all queues."""
    return [_everywhere(each, config) for each in merging.merged(_runs(config, groups))]


def _everywhere(script: Json, config: Json) -> Json:
    """A script of compute nodes that the head node may read too: its hook runs it as well."""
    access = [
        f"s3://{each.get('BucketName')}/{each.get('KeyName')}"
        for each in items(config, "HeadNode", "Iam", "S3Access")
    ]
    return {**script, "on": None} if has_hook(config) and script["run"] in access else script


def nodes(config: Json, groups: Sequence[Named]) -> list[Node]:
    """All nodes, with what they run."""
    return [
        Node("", [_action(each) for event in _WHEN for each in actions(node, event)], role)
        for role, _, node in _nodes(config, groups)
    ]


def _runs(config: Json, groups: Sequence[Named]) -> Iterator[Run]:
    for role, names, node in _nodes(config, groups):
        for event, when in _WHEN.items():
            found = (_action(each) for each in actions(node, event))
            yield Run(role, names, when, [_script(each) for each in found if not each.ours])


def _action(given: Json) -> Action:
    action = Action(given["Script"], tuple(given.get("Args", ())))
    if action.ours == VERIFIED:
        url, checksum, *arguments = action.arguments
        return Action(url, tuple(arguments), checksum)
    return action


def _script(action: Action) -> Json:
    return {
        "run": action.url,
        "args": list(action.arguments) or None,
        "sha256": action.checksum or None,
    }


def _nodes(config: Json, groups: Sequence[Named]) -> Iterator[tuple[str, tuple[str, ...], Json]]:
    yield "head", (), section(config, "HeadNode")
    pools = items(config, "LoginNodes", "Pools")
    # All pools run the same scripts; others are for the overlay.
    if pools and all(pool.get("CustomActions") == pools[0].get("CustomActions") for pool in pools):
        yield "login", (), pools[0]
    for index, queue in enumerate(items(config, "Scheduling", "SlurmQueues")):
        yield "compute", tuple(each.name for each in groups if each.queue == index), queue
