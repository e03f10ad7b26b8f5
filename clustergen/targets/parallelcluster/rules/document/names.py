"""Keys of tags, and names of nodes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.findings import Path, Problem
from clustergen.overlay.parts import as_list, as_map, maps
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule, warning
from clustergen.targets.parallelcluster.rules.document import lines, overlay, queues, resources


def _queue_tags(*keys: str) -> str:
    tags = ", ".join(f"{{Key: '{key}', Value: x}}" for key in keys)
    return overlay(f"Scheduling: {{SlurmQueues: [{{Name: h200, Tags: [{tags}]}}]}}")


@rule(
    "OVL105",
    "Tag that a section cannot have",
    why="ParallelCluster refuses a key that one section has twice, keys that begin with "
    "`parallelcluster:`, by which it finds its resources, and more than 40 tags of a node.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html",
    bad=_queue_tags("team", "team"),
    good=_queue_tags("team", "project"),
)
def tags(document: Mapping[str, Any]) -> Iterator[Problem]:
    for path, found in _tags(document):
        counts = Counter(str(as_map(each).get("Key")) for each in found)
        for key, count in counts.items():
            if count > 1:
                yield Problem(path, f"the tag {key} is given {count} times", help="keep one")
            elif limits.is_reserved(key):
                yield Problem(path, f"the tag {key} is reserved", help="give it another key")
    for path, queue in queues(document):
        for _, resource in resources(path, queue):
            given = (document, queue, resource)
            keys = {each.get("Key") for part in given for each in maps(part.get("Tags"))}
            if len(keys) > limits.MAX_TAGS:
                message = f"nodes of {resource.get('Name')} have {len(keys)} tags"
                yield Problem(("Tags",), message, help=f"keep {limits.MAX_TAGS}")


@warning(
    "OVL109",
    "Tag that another section overrides",
    why="Nodes have the tags of their compute resource, of its queue and of the cluster; of tags "
    "with one key, the first of these counts.",
    source="pcluster.validators.tags_validators: ComputeResourceTagsValidator",
    bad="tags: {team: a}\n" + _queue_tags("team"),
    good="tags: {team: a}\n" + _queue_tags("project"),
)
def overridden(document: Mapping[str, Any]) -> Iterator[Problem]:
    for path, queue in queues(document):
        for place, resource in resources(path, queue):
            parts = {"the cluster": document, "its queue": queue, "its own section": resource}
            tags = {name: maps(part.get("Tags")) for name, part in parts.items()}
            for key in sorted({str(each.get("Key")) for found in tags.values() for each in found}):
                names = [n for n, found in tags.items() if key in (t.get("Key") for t in found)]
                if len(names) > 1:
                    owner = place if "its own section" in names else path
                    message = f"{resource.get('Name')} has the tag {key} of {' and '.join(names)}"
                    yield Problem((*owner, "Tags"), message, help=f"keep that of {names[-1]}")


def _tags(document: Mapping[str, Any]) -> Iterator[tuple[Path, list[Any]]]:
    yield ("Tags",), as_list(document.get("Tags"))
    for path, queue in queues(document):
        for place, each in ((path, queue), *resources(path, queue)):
            yield (*place, "Tags"), as_list(each.get("Tags"))


@rule(
    "OVL106",
    "Name of a node that ParallelCluster takes for its own",
    why="`-st-` and `-dy-` mark the nodes that ParallelCluster starts and stops.",
    source="pcluster.validators.slurm_settings_validator: CustomSlurmNodeNamesValidator",
    bad=overlay(
        "Scheduling: {SlurmSettings: {CustomSlurmSettings: [{NodeName: my-st-node, CPUs: 4}]}}"
    ),
    good=overlay(
        "Scheduling: {SlurmSettings: {CustomSlurmSettings: [{NodeName: mynode, CPUs: 4}]}}"
    ),
)
def node_names(document: Mapping[str, Any]) -> Iterator[Problem]:
    for path, line in lines(document):
        for key, name in line.items():
            if key.lower() == "nodename" and ("-st-" in str(name) or "-dy-" in str(name)):
                help = "give it another name"
                yield Problem((*path, key), f"{name} has -st- or -dy-", help=help)
