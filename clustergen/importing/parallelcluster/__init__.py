"""Cluster configurations of AWS ParallelCluster 3."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import yaml

from clustergen.base.documents import without_nothing
from clustergen.base.findings import Finding, Path
from clustergen.importing.answers import REGION, Answers
from clustergen.importing.cloudformation import Questions, Resource
from clustergen.importing.cloudformation.functions import as_text
from clustergen.importing.conversion import Imported, Service, convert
from clustergen.importing.kinds import fitting
from clustergen.importing.machines import items, section
from clustergen.importing.notes import Notes
from clustergen.importing.parallelcluster.dialect import modern
from clustergen.importing.parallelcluster.equivalence import equivalent
from clustergen.importing.parallelcluster.fields import spec
from clustergen.importing.parallelcluster.normal import normal
from clustergen.importing.parallelcluster.partitions import resolved
from clustergen.importing.parallelcluster.parts import effective
from clustergen.importing.reading import Source
from clustergen.importing.rules import formats, losses
from clustergen.spec.formats import is_parallelcluster_resource
from clustergen.targets import load

_TARGET = "parallelcluster"
SERVICE = Service(_TARGET, normal, equivalent, judged=True)
# An update compares what is written: a default that only one of two files has is a change.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html
ADOPTING = Service(
    _TARGET, normal, lambda _document, original, _schema: original, literal=True, adopts=True
)
_SLURM = "slurm"


def imported_stack(sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of the cluster in templates."""
    answers = answers.with_files(sources)
    found = _clusters(answers)
    if len(found) != 1:
        number = "several clusters" if found else "no cluster whose condition holds"
        problem = formats.INCOMPLETE.at(
            (), f"the templates have {number}", help="give the values of parameters: --parameter"
        )
        return Imported.refused(problem)
    (resource,) = found
    notes = Notes()
    config = _configuration(resource, answers, notes)
    answers.beside.report((resource.type,), notes)
    result = _imported(config, PurePath(resource.source.name).name, answers, notes)
    inner = (*resource.path, "Properties", "ClusterConfiguration")
    return result._replace(
        findings=tuple(
            resource.source.place(replace(each, path=(*inner, *each.path)))
            for each in result.findings
        )
    )


def _clusters(answers: Answers) -> list[Resource]:
    known = answers.beside.resources.values()
    return [each for each in known if is_parallelcluster_resource({"Properties": each.properties})]


def _configuration(resource: Resource, answers: Answers, notes: Notes) -> Mapping[str, Any]:
    """The configuration of a cluster; what no file says is asked for."""
    questions = Questions(notes, answers.region or REGION)
    answered = questions.answered(resource.properties["ClusterConfiguration"])
    found: Mapping[str, Any] = _with_text(answered)
    return found


def _with_text(node: Any, key: str = "") -> Any:
    """Arguments of scripts as text: CloudFormation sends every value as such."""
    if isinstance(node, Mapping):
        return {each: _with_text(value, each) for each, value in node.items()}
    if isinstance(node, list):
        return [as_text(v) if key == "Args" else _with_text(v) for v in node]
    return node


def imported(sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of a cluster configuration, beside which templates may be."""
    first, notes, answers = sources[0], Notes(), answers.with_files(sources)
    answers.beside.report((), notes)
    result = _imported(first.data, PurePath(first.name).name, answers, notes)
    result = result.without([*_unreadable(first)])
    return result._replace(findings=tuple(map(first.place, result.findings)))


def _unreadable(source: Source) -> Iterator[Finding]:
    """What ParallelCluster's own reader does not accept: ``pcluster.utils.yaml_load``."""
    for path in source.merged:
        message = "ParallelCluster accepts no merge key (<<)"
        yield losses.UNREADABLE.at(path, message, help="write the keys out")
    if not source.merged:
        yield from _repeated(source.root)


def _repeated(node: yaml.Node | None, path: Path = ()) -> Iterator[Finding]:
    if isinstance(node, yaml.SequenceNode):
        for index, each in enumerate(node.value):
            yield from _repeated(each, (*path, index))
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                message = f"{name} is given twice; the last one is imported"
                yield losses.UNREADABLE.at((*path, name), message, help="keep one")
            seen.add(name)
            yield from _repeated(value, (*path, name))


def _imported(
    configuration: Mapping[str, Any], origin: str, answers: Answers, notes: Notes
) -> Imported:
    scheduler = section(configuration, "Scheduling").get("Scheduler", _SLURM)
    if scheduler != _SLURM:
        found = formats.UNSUPPORTED.at(
            ("Scheduling", "Scheduler"),
            f"the scheduler is {scheduler}",
            help="for AWS Batch, write a spec for the target batch; to import this, write "
            "Scheduler: slurm, and SlurmQueues with compute resources of the same instance types",
        )
        return Imported.refused(found)
    known, misfits = fitting(without_nothing(configuration), load(_TARGET).schema)
    if missing := [*_missing(known)]:
        text = f"the configuration has no {' and no '.join(missing)}"
        found = formats.INCOMPLETE.at((), text, help="import the whole configuration")
        return Imported.refused(*misfits, found)
    written = modern(known, notes)
    words = spec(resolved(effective(written)), answers, notes)
    # Without one, ParallelCluster takes the region from where its command runs.
    region = {"Region": words["region"]}
    service = ADOPTING if answers.adopt else SERVICE
    return convert({**region, **written}, words, origin, notes, service).without(misfits)


def _missing(config: Mapping[str, Any]) -> Iterator[str]:
    """What every configuration has."""
    for key in ("InstanceType", "Networking"):
        if not section(config, "HeadNode").get(key):
            yield f"HeadNode.{key}"
    if not items(config, "Scheduling", "SlurmQueues"):
        yield "Scheduling.SlurmQueues"
