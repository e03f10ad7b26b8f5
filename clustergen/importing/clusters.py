"""Importing clusters that are resources of templates, or that a service describes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

from clustergen.base.documents import without_nothing
from clustergen.base.findings import Finding
from clustergen.base.patterns import pattern
from clustergen.importing import settings, templates
from clustergen.importing.answers import Answers
from clustergen.importing.cloudformation import Questions, Resource
from clustergen.importing.cloudformation.functions import VARIABLE
from clustergen.importing.cloudformation.stacks import POLICIES
from clustergen.importing.companion_files import report
from clustergen.importing.conversion import Imported, convert, with_option
from clustergen.importing.machines import section
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source
from clustergen.importing.regions import located, of_arns
from clustergen.importing.rules import formats, losses
from clustergen.importing.settings import Extracted, Form, Json
from clustergen.plan.names import stack as stack_name
from clustergen.targets import load

_DESCRIPTION = pattern(
    r"^(?:(?:AWS PCS|Amazon EKS|AWS Batch) cluster [A-Za-z][A-Za-z0-9-]*"
    r"|Node groups \S+ of the (?:AWS PCS|Amazon EKS) cluster \S+)$"
)
"""Descriptions of our templates."""
_OF_TEMPLATES = [("Resources",), ("Parameters",), ("Outputs",), ("Conditions",), ("Mappings",)]
_LOGS = "AWS::Logs::LogGroup"
_OURS = (
    "clustergen rendered this template: the spec that it came from also says what is in the other "
    "files of its bundle, such as scripts and storage"
)


class Reader(NamedTuple):
    """How the resources of a service become a spec."""

    target: str
    form: Form
    main: str
    """The section that every cluster has."""
    fields: Callable[[Json, Answers, Notes], Json]
    described: Callable[[Sequence[Source], Notes], list[Resource]] = lambda _sources, _notes: []
    """The resources that descriptions of the service show."""
    prepared: Callable[[Json, Notes], Json] = lambda found, _notes: found
    """The settings, with what several templates leave open."""
    one: bool = True
    """Whether the section has one resource: the cluster."""
    parts: Reader | None = None
    """How parts of a cluster that exists become a spec."""


def imported(reader: Reader, sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of one cluster."""
    notes = Notes()
    defaults = dict(reader.form.parameters) if _is_ours(sources) else {}
    answers = _located(sources, answers, notes).with_files(sources, defaults)
    if _is_ours(sources):
        reader = reader._replace(form=reader.form.of_ours())
    reader = reader._replace(form=reader.form.naming(reader.main, answers.name))
    found = _extracted(sources, answers, reader, notes)
    if reader.main not in found.settings and reader.parts:
        reader = reader.parts._replace(form=reader.form)
    clusters = [*found.settings.get(reader.main, {})]
    if not clusters:
        return _incomplete(sources[0], reader)
    if reader.one and len(clusters) > 1:
        text = f"the files have {len(clusters)} clusters: {', '.join(clusters)}"
        several = formats.UNKNOWN.at((), text, help="import each from its own files")
        return Imported.refused(sources[0].place(several))
    if reader.one and "Name" not in found.settings[reader.main][clusters[0]]:
        notes.named((reader.main, clusters[0]), answers.name)
    unread = list(_unexpanded(sources))
    report(found.others, notes)
    known = reader.prepared(found.settings, notes)
    if _is_ours(sources):
        notes.decided((), _OURS, "targets")
    else:
        if not answers.adopt:
            _report_exports(sources[0], notes)
        looked_up = frozenset(reader.form.parameters.values())
        known = Questions(notes, answers.region, looked_up).answered(known)
        known = settings.identified(known, found, reader.form)
    words = reader.fields(known, answers, notes)
    if _is_ours(sources):
        words["monitoring"] = {**words.get("monitoring", {}), **_logs(found)}
    found.settings = known
    result = converted(found, words, sources[0], answers, reader, notes)
    if unread:
        result = result._replace(findings=(*result.findings, *unread), lossless=False)
    return result


def converted(  # noqa: PLR0913, PLR0917 what an import knows
    found: Extracted, words: Json, first: Source, answers: Answers, reader: Reader, notes: Notes
) -> Imported:
    """The spec made of ``words``, and of an overlay for the rest of the settings."""
    name = answers.name if words.get("name") in (None, "") else str(words["name"])
    words = {**words, "name": name}
    known = found.settings
    form = reader.form
    if answers.adopt:
        # What a stack takes over has a policy of its own.
        policies = {f"{each.section}.*.{name}" for each in form.kinds for name in POLICIES}
        form = replace(form, open=frozenset(), left_out=form.left_out | policies)
    service = templates.service(
        reader.target, form, answers.region, name, known, adopt=answers.adopt
    )
    if answers.adopt or _is_ours([first]):
        service = replace(service, added=lambda _: "")
    origin = PurePath(first.name).name
    if answers.adopt:
        stack = answers.stack or stack_name(name, reader.target)
        words = with_option(_without_stack_tags(words, notes), reader.target, stack=stack)
        _ask_about_stack(first, name, answers, reader, notes)
    if answers.adopt and first.is_template:
        # An update compares templates as they are written, and logical ids are names in a stack.
        written = _plain(first.template, found, answers, reader, notes)
        service = replace(service, equivalent=lambda *_: written, literal=True, place=None)
        result = convert(written, words, origin, notes, service)
    else:
        result = convert(known, words, origin, notes, service)
    return result._replace(findings=tuple(_placed(result.findings, found, first)))


def _extracted(
    sources: Sequence[Source], answers: Answers, reader: Reader, notes: Notes
) -> Extracted:
    """The settings of the cluster; further resources of its own are in its own template."""
    own = {kind.type for kind in reader.form.own}
    known: dict[bool, list[Resource]] = {True: [], False: []}
    for each in answers.beside.resources.values():
        known[each.source is sources[0] or each.type not in own].append(each)
    found = settings.extract([*known[True], *reader.described(sources, notes)], reader.form)
    found.others += known[False]
    return found


def _located(sources: Sequence[Source], answers: Answers, notes: Notes) -> Answers:
    """``answers`` with the region of the cluster's ARNs, which descriptions have."""
    text = "\n".join(line for source in sources for line in source.lines)
    named = of_arns(text, any_service=not answers.region)
    return located(answers, named, (), "file", notes)


def _is_ours(sources: Sequence[Source]) -> bool:
    """Whether clustergen rendered the template: its parameters are outputs of a foundation."""
    return bool(_DESCRIPTION.match(str(sources[0].template.get("Description", ""))))


def _unexpanded(sources: Sequence[Source]) -> Iterator[Finding]:
    """Loops and macros, which CloudFormation expands before it reads a template."""
    for source in sources:
        resources = source.template.get("Resources", {}) if source.is_template else {}
        for key in (key for key in resources if str(key).startswith("Fn::")):
            yield losses.LOST.at(
                (),
                f"{source.name} has {key}, which only CloudFormation expands",
                help="import what `aws cloudformation get-template --template-stage Processed` "
                "prints for the stack",
            )


def _report_exports(source: Source, notes: Notes) -> None:
    outputs = section(source.template, "Outputs")
    for id in (str(id) for id in outputs if "Export" in section(outputs, id)):
        text = f"Outputs.{id} is exported: other stacks import it from the original's stack"
        notes.dropped(("Outputs", id), text)


def _logs(found: Extracted) -> Json:
    days = [each.properties.get("RetentionInDays") for each in found.others if each.type == _LOGS]
    return {"log_retention": f"{days[0]}d" if days[0] else "forever"} if days else {}


def _plain(
    template: Mapping[str, Any], found: Extracted, answers: Answers, reader: Reader, notes: Notes
) -> Json:
    """A template as data of its own, with names in place of the parameters that have them.

    The other files of the bundle use the names. One that a function gives stays: a guess would
    rename what runs. ``--stack`` tells those that come from the stack's own name.
    """
    copied: Json = without_nothing(json.loads(json.dumps(template, default=str)))
    # An ARN is what something else is called.
    kinds = reader.form.kinds
    keys = {each.section: each.name for each in kinds if not each.name.endswith("Arn")}
    for (kind, name), id in found.ids.items():
        properties = copied["Resources"].get(id, {}).get("Properties", {})
        key = keys.get(kind)
        given = properties.get(key) if key else None
        if name == id or not isinstance(given, dict):
            continue
        if by_stack := _is_of_stack(given):
            if not answers.stack:
                text = f"the name of {id} comes from that of its stack"
                notes.asked((), text, "use --stack NAME", "targets")
                continue
        elif [*given] == ["Ref"] and given["Ref"] not in answers.parameters:
            _ask_for_name(id, given["Ref"], name, notes)
        if by_stack or [*given] == ["Ref"]:
            properties[key] = name
    return copied


def _is_of_stack(name: Json) -> bool:
    """Whether the name of the stack is all that a name depends on."""
    text = name.get("Fn::Sub", f"${{{name.get('Ref')}}}")
    return isinstance(text, str) and {*VARIABLE.findall(text)} == {("", "AWS::StackName")}


def _ask_for_name(id: str, parameter: str, name: str, notes: Notes) -> None:
    """With another value of the parameter in the stack, the first update would replace it."""
    text = f"the name of {id} is the parameter {parameter}, and {name} is only its default"
    help = f"if the stack has another value, use --parameter {parameter}=VALUE"
    notes.asked((), text, help, "targets")


def _without_stack_tags(words: Json, notes: Notes) -> Json:
    """Without the word that deploy.sh makes tags of the stack, which change all that is in it."""
    if "tags" in words:
        text = "the overlay keeps the tags of the cluster: `tags` would tag all of its stack"
        notes.decided((), text, "targets")
    return {key: each for key, each in words.items() if key != "tags"}


def _ask_about_stack(
    first: Source, name: str, answers: Answers, reader: Reader, notes: Notes
) -> None:
    """An adopted cluster stays in its stack, which deploy.sh finds by its name."""
    stack = answers.stack or stack_name(name, reader.target)
    own = stack_name(name, "foundation")
    text = f"the first deployment creates the stack {own}, with what deploy.sh itself needs"
    notes.decided((), text, "targets")
    if first.is_template:
        text = "the overlay is the template of the stack: change node groups and queues there, too"
        notes.decided((), text, "node_groups")
        text = f"deploy.sh updates the stack {stack}, which must be the stack of this template"
        help = f"if it is not, use --stack NAME, or write targets.{reader.target}.stack"
        if answers.stack:
            return
    else:
        text = f"no stack has the cluster, and deploy.sh updates {stack}"
        help = (
            f"render, and import the running resources, which stay when {stack} is deleted: "
            "`aws cloudformation "
            "create-change-set --change-set-type IMPORT`"
        )
    notes.asked((), text, help, "targets")


def _placed(findings: Sequence[Finding], found: Extracted, first: Source) -> Iterator[Finding]:
    for each in findings:
        finding = replace(each, message=settings.readable(each.message))
        within = bool(finding.path) and finding.path[0] in found.settings
        place = found.place(finding.path) if within else None
        if place is None and finding.path[:1] in _OF_TEMPLATES:
            yield first.place(finding)
        elif place is None:
            yield first.place(replace(finding, path=()))
        else:
            yield place.source.place(replace(finding, path=place.path))


def _incomplete(first: Source, reader: Reader) -> Imported:
    text = f"no file has the cluster, only parts of one for {load(reader.target).title}"
    help = "add the template of the cluster, or what describes it: import FILE FILE ..."
    return Imported.refused(first.place(formats.INCOMPLETE.at((), text, help=help)))
