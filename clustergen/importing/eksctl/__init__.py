"""Configurations of eksctl, as the settings of the EKS cluster that it would create."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clustergen.base.documents import change_texts
from clustergen.base.findings import Finding
from clustergen.base.patterns import pattern
from clustergen.base.text_lists import word_set
from clustergen.importing import clusters
from clustergen.importing.answers import Answers
from clustergen.importing.conversion import Imported
from clustergen.importing.eks import existing_cluster
from clustergen.importing.eks.fields import spec
from clustergen.importing.eks.form import ACCESS, ADDONS, CLUSTER, NODE_GROUPS, PROVIDERS
from clustergen.importing.eksctl import cluster, groups, network
from clustergen.importing.eksctl.form import FORM
from clustergen.importing.eksctl.keys import Keys, meant
from clustergen.importing.eksctl.node_roles import permissions
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source
from clustergen.importing.regions import located
from clustergen.importing.rules import formats, losses
from clustergen.importing.settings import Extracted, Json, Place, link
from clustergen.spec import patterns
from clustergen.spec.source.nodes import dotted


def imported(sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of a configuration."""
    (source, *_) = sources
    notes, config = Notes(), Keys(source.data)
    metadata = config.section("metadata")
    if answers.adopt:
        help = f"clustergen import --live eks/{metadata.take('name') or 'NAME'} --adopt"
        return Imported.refused(source.place(formats.INCOMPLETE.at((), _ASKED, help=help)))
    named = str(metadata.take("region") or "")
    answers = located(answers, named, ("metadata", "region"), "file", notes)
    name = _name(config, answers, notes)
    answers = network.answered(config, answers, notes)
    found = _settings(config, name, source, answers, notes)
    group = str(config.section("vpc").take("securityGroup") or "")
    reader = clusters.Reader("eks", FORM, CLUSTER, spec)
    if group:
        found.settings = _without_cluster(found.settings, name, group, notes)
        reader = clusters.Reader("eks", FORM, NODE_GROUPS, existing_cluster.spec)
    elif _has_only_groups(config):
        notes.decided(("metadata",), _NEW.format(name=name), "targets")
    words = reader.fields(found.settings, answers, notes)
    if group:
        words["targets"]["eks"]["cluster_security_group"] = group
    words["network"] |= network.fields(config, words["network"], notes)
    words |= _logs(config) | network.registry(config, answers.region, notes)
    lost = [*_lost(config)]
    result = clusters.converted(found, words, source, answers, reader, notes)
    return result._replace(
        findings=(*result.findings, *map(source.place, lost)), lossless=result.lossless and not lost
    )


def _logs(config: Keys) -> Json:
    """How long the logs of the control plane are kept; without a word of the file, forever."""
    days = config.section("cloudWatch").section("clusterLogging").number("logRetentionInDays")
    return {"monitoring": {"log_retention": f"{days}d"}} if days else {}


_ASKED: Final = "--adopt needs the cluster that runs; a file of eksctl only says what was asked for"
_OF_GROUPS: Final = word_set(
    "apiVersion kind metadata vpc availabilityZones managedNodeGroups nodeGroups"
)
_NEW: Final = (
    "the file only has node groups, and the spec makes a new cluster {name} for them; if {name} "
    "exists, write the cluster security group as vpc.securityGroup in the file, and import it again"
)


def _has_only_groups(config: Keys) -> bool:
    """Whether a file may be for `eksctl create nodegroup`: it says nothing about the cluster."""
    versioned = "version" in config.section("metadata")
    return config.names() <= _OF_GROUPS and "managedNodeGroups" in config and not versioned


def _name(config: Keys, answers: Answers, notes: Notes) -> str:
    name = str(config.section("metadata").take("name") or answers.name)
    if re.fullmatch(patterns.CLUSTER_NAME.regex, name):
        return name
    text = f"{name} is not a valid name of a cluster"
    notes.asked(("metadata", "name"), text, f"replace {answers.name} by its name", "name")
    return answers.name


def _settings(config: Keys, name: str, source: Source, answers: Answers, notes: Notes) -> Extracted:
    found: Json = {
        CLUSTER: {name: cluster.cluster(config, name, notes)},
        NODE_GROUPS: groups.groups(config, name, notes),
        ADDONS: cluster.addons(config, name, notes),
        ACCESS: cluster.access_entries(config, name),
        PROVIDERS: cluster.provider(config, name, answers.region),
        **permissions(config, answers.region, notes),
    }
    result = Extracted({key: each for key, each in found.items() if each})
    for section, places in _places(config, name, source).items():
        for key, place in places.items():
            result.places[section, key] = place
    return result


_OF_CLUSTERS: Final = {
    CLUSTER: "metadata, vpc, accessConfig and other settings",
    ADDONS: "addons",
    ACCESS: "accessConfig.accessEntries",
    PROVIDERS: "iam.withOIDC",
}
"""What of a file is about the cluster, by the part of the settings."""


def _without_cluster(settings: Json, name: str, group: str, notes: Notes) -> Json:
    """The node groups of a cluster that exists, whose security group the file has.

    https://docs.aws.amazon.com/eks/latest/eksctl/unowned-clusters.html
    """
    for part, keys in _OF_CLUSTERS.items():
        if part in settings:
            text = f"{keys} of {name}: the cluster exists, and keeps what it has"
            notes.dropped(("metadata",), text)
    known = {link(CLUSTER, name): name, link(CLUSTER, name, "ClusterSecurityGroupId"): group}
    left = {part: each for part, each in settings.items() if part not in _OF_CLUSTERS}
    found: Json = change_texts(left, lambda text: known.get(text, text))
    return {NODE_GROUPS: {}, **found}


def _places(config: Keys, name: str, source: Source) -> dict[str, dict[str, Place]]:
    named = {str(each.take("name")): Place(source, each.path) for each in config.groups()}
    return {CLUSTER: {name: Place(source, ("metadata",))}, NODE_GROUPS: named}


_PLACEHOLDER: Final = pattern(r"^\s*(?:<.*>|\$\{?\w+\}?|\{\{.*\}\})\s*$")
_POLICIES: Final = "withAddonPolicies"
_AFTER: Final = (
    "do it with another tool after the deployment, and accept the loss with --allow-loss"
)
_SAID: Final = frozenset(("apiVersion", "kind"))


def _lost(config: Keys) -> Iterator[Finding]:
    """What neither the language nor the template of a cluster has a place for."""
    seen, asked = set(), config.asked()
    for path, value in config.unread():
        depth = 4 if path[0] in ("managedNodeGroups", "nodeGroups") else 3
        misspelt = meant(path, asked)
        short = misspelt[0] if misspelt else path[: depth + (_POLICIES in path[:depth])]
        if path[0] in _SAID or short in seen:
            continue
        seen.add(short)
        shown = dotted(short)
        if _PLACEHOLDER.search(str(value)):
            message, help = f"{shown} is {value}, a placeholder", "replace it by its value"
        elif misspelt:
            message, help = f"{shown} is no key of eksctl", f"did you mean {misspelt[1]}?"
        else:
            message, help = f"{shown} is not in the spec: no field covers it", _AFTER
        yield losses.LOST.at(short, message, help=help)
