"""Turning configurations of other tools into specs: ``clustergen import``.

An import maps what has a word, puts the rest in the overlay, renders the result, and compares it
with the original in the service's own terms. What differs is a finding.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from clustergen.analysis.diff.live import LiveError
from clustergen.base import account, secrets
from clustergen.base.account import Clients
from clustergen.base.findings import Finding
from clustergen.importing import (
    batch,
    eks,
    eksctl,
    hyperpod,
    live,
    malformed,
    masking,
    parallelcluster,
    pcs,
)
from clustergen.importing.answers import Answers
from clustergen.importing.cloudformation import is_parameter_file
from clustergen.importing.conversion import Imported
from clustergen.importing.eks.form import QUEUES
from clustergen.importing.hyperpod import requests
from clustergen.importing.reading import Source, Unreadable, read
from clustergen.importing.rules.decisions import DROPPED
from clustergen.importing.rules.formats import NO_ANSWER, UNKNOWN
from clustergen.importing.unrecognized import is_launch_template, unknown, unreadable
from clustergen.overlay.suggestions import similar
from clustergen.spec import formats, source
from clustergen.spec.exposed import stand_ins_in
from clustergen.spec.rules.secrets import FILLED_IN

__all__ = ["Answers", "Imported", "Request", "imported", "imported_live"]

_SETS: Final[Mapping[str, Callable[[Sequence[Source], Answers], Imported]]] = {
    formats.PARALLELCLUSTER: parallelcluster.imported,
    formats.PARALLELCLUSTER_STACK: parallelcluster.imported_stack,
    formats.HYPERPOD: hyperpod.imported,
    formats.PCS: pcs.imported,
    formats.BATCH: batch.imported,
    formats.EKS: eks.imported,
    formats.EKSCTL: eksctl.imported,
}
"""What makes a spec of the files of one cluster, by format."""
_STACKS: Final = (formats.PCS, formats.BATCH, formats.EKS, formats.EKSCTL)
"""Formats whose clusters are stacks."""


class Request(NamedTuple):
    """The texts to import, each with the name of its file, and what the user says about them."""

    texts: Sequence[tuple[str, str]]
    answers: Answers


def imported(request: Request) -> Imported:
    """The spec of one cluster, without secrets that the files hold."""
    parameters, masked = _parameters(request.answers.parameters)
    request = request._replace(answers=request.answers._replace(parameters=parameters))
    result = _imported(request, {})
    # A template may put a text together that is a secret only as a whole.
    if left := _secrets_in(result.text):
        result = _imported(request, left)
        masked.append(masking.finding((), "", "the spec"))
    if left and _secrets_in(result.text):
        result = result._replace(text="")
    findings = map(secrets.masked, (*masked, *result.findings))
    return result._replace(findings=tuple(findings), lossless=result.lossless and not masked)


def _parameters(given: Mapping[str, str]) -> tuple[Mapping[str, str], list[Finding]]:
    """The parameters with stand-ins for secrets."""
    found = {path[0]: name for path, _, name in secrets.found(given)}
    words = {str(name): secrets.stand_in(found[name]) for name in found}
    masked = [masking.finding((), found[name], f"the parameter {name}") for name in found]
    return {**given, **words}, masked


def _secrets_in(text: str) -> dict[str, str]:
    document, _ = source.read_text(text) if text else (None, [])
    found = secrets.found(document.data) if document else ()
    return {secret.text: secrets.stand_in(secret.name) for secret in found}


def imported_live(clusters: Sequence[str], answers: Answers, clients: Clients) -> Imported:
    """The spec of a running cluster: ``SERVICE/NAME``, as AWS describes it."""
    found: list[tuple[str, str]] = []
    where = live.Account(answers.region, clients)
    try:
        for each in clusters:
            kind, _, name = each.partition("/")
            found += live.READERS[kind](name, where)
            answers = answers._replace(name=name)
        answers = live.located(found, answers, where)
    except (account.CallError, LiveError) as error:
        help = _WAYS_OUT.get(type(error), "import what the AWS CLI prints for the cluster")
        return Imported.refused(NO_ANSWER.at((), str(error), help=help))
    return imported(Request(found, answers))


_WAYS_OUT: Final[Mapping[type[Exception], str]] = {
    account.Missing: "check the name and --region",
    account.Denied: "allow the action, or import what the AWS CLI prints",
    account.Throttled: "try again in a minute",
    account.NoCredentials: "log in again, such as with `aws sso login`, or set AWS_PROFILE",
    account.Unreachable: "check the network and --region, or import what the AWS CLI prints",
    account.NoBotocore: "install the extra `live`",
}


def _imported(request: Request, known: Mapping[str, str]) -> Imported:
    sources: list[Source] = []
    for name, text in request.texts:
        try:
            sources += read(text, name, known)
        except Unreadable as error:
            return Imported.refused(unreadable(name, text, error))
    if found := [each.place(it) for each in sources for it in malformed.directives(each.data)]:
        return Imported.refused(*found)
    first, *others = sorted(sources, key=lambda each: not formats.recognized(each.data))
    format = formats.recognized(first.data)
    if not format:
        return Imported.refused(first.place(unknown(first)))
    strangers = [each for each in others if not _belongs(each, format)]
    # Objects of Kubernetes may stand in the file of a cluster, and are not part of it.
    if far := [each for each in strangers if each.name != first.name or not each.is_object]:
        message = f"{first.name} is one cluster; {far[0].name} does not belong to it"
        apart = UNKNOWN.at((), message, help="import the files one by one")
        return Imported.refused(far[0].place(apart))
    belonging = (first, *(each for each in others if each not in strangers))
    result = _SETS[format](belonging, request.answers)
    result = result.without([s.place(each) for s in belonging for each in malformed.resources(s)])
    ignored = _without_effect(request, format, belonging)
    result = result._replace(findings=(*result.findings, *ignored))
    objects = [each for each in others if each.is_object and each.data["kind"] not in QUEUES]
    left = (each.place(DROPPED.at((), f"a {each.data['kind']}: {_AFTER}")) for each in objects)
    hidden = [secret for each in sources for secret in each.secrets]
    findings = (*_about_secrets(sources), *result.findings, *left)
    masked = tuple(secrets.masked(finding, hidden) for finding in findings)
    wrong = tuple(each for each in result.errors if not _is_ours(each, request))
    lossless = result.lossless and not hidden
    return result._replace(findings=masked, lossless=lossless, errors=wrong)


def _is_ours(error: Finding, request: Request) -> bool:
    """Whether an error is about a stand-in of the import, which has a finding of its own."""
    words = stand_ins_in(error.message) if error.code == FILLED_IN.code else ()
    given = (text for _, text in request.texts)
    return bool(words) and not any(word in text for text in given for word in words)


def _about_secrets(sources: Sequence[Source]) -> Iterator[Finding]:
    for each in sources:
        for path, name in dict.fromkeys((path, name) for path, _, name in each.secrets):
            yield each.place(masking.finding(path, name))


def _without_effect(request: Request, format: str, files: Sequence[Source]) -> Iterator[Finding]:
    """Flags of the user that change nothing."""
    if request.answers.stack and format not in _STACKS:
        message = "--stack: the cluster is found by its own name, not by that of a stack"
        yield DROPPED.at((), message)
    texts = "".join(text for _, text in request.texts)
    declared = [str(name) for each in files for name in each.template.get("Parameters", {})]
    for name in request.answers.parameters:
        # The name of an export may be put together, and what a list has has the name of the list.
        word = name.rpartition(".")[2].partition("[")[0]
        if not re.search(rf"\b{re.escape(word)}\b", texts) and "ImportValue" not in texts:
            near = similar(name, declared)
            hint = f"; did you mean {near}?" if near else ""
            yield DROPPED.at((), f"--parameter {name}: no file has this name{hint}")


_AFTER: Final = "no part of the cluster; apply it when the cluster runs"


def _belongs(source: Source, format: str) -> bool:
    if format == formats.EKSCTL:
        return False
    other = formats.recognized(source.data)
    supporting = source.is_template or is_parameter_file(source.data) is not None
    if format == formats.PARALLELCLUSTER:
        return supporting and not other
    if format == formats.HYPERPOD:
        # The template of an EKS cluster may be beside that of the HyperPod cluster on it.
        return requests.is_parameters(source.data) or supporting
    if format == formats.EKS and source.is_object:
        return True
    return other == format or (not other and (supporting or is_launch_template(source)))
