"""Turning configurations of other tools into specs: ``clustergen import``.

An import maps what has a word, puts the rest in the overlay, renders the result, and compares it
with the original in the service's own terms. What differs is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Final, NamedTuple

from clustergen import account, foreign, secrets
from clustergen.account import Clients
from clustergen.difference.live import LiveError
from clustergen.findings import Finding
from clustergen.importing import batch, eks, eksctl, hyperpod, live, parallelcluster, pcs
from clustergen.importing.answers import Answers
from clustergen.importing.cloudformation import is_parameter_file
from clustergen.importing.conversion import Imported
from clustergen.importing.hyperpod import requests
from clustergen.importing.reading import Source, Unreadable, read
from clustergen.importing.rules.decisions import DROPPED, TO_FILL_IN
from clustergen.importing.rules.formats import NO_ANSWER, UNKNOWN
from clustergen.importing.strangers import is_launch_template, is_object, unknown, unreadable

__all__ = ["Answers", "Imported", "Request", "imported", "imported_live"]

_SETS: Final[Mapping[str, Callable[[Sequence[Source], Answers], Imported]]] = {
    foreign.PARALLELCLUSTER_STACK: parallelcluster.imported_stack,
    foreign.HYPERPOD: hyperpod.imported,
    foreign.PCS: pcs.imported,
    foreign.BATCH: batch.imported,
    foreign.EKS: eks.imported,
    foreign.EKSCTL: eksctl.imported,
}
"""Formats in which several files are one cluster."""


class Request(NamedTuple):
    """The texts to import, each with the name of its file, and what the user says about them."""

    texts: Sequence[tuple[str, str]]
    answers: Answers


def imported(request: Request) -> Imported:
    """The spec of one cluster, without secrets that the files hold."""
    result = _imported(request)
    text = secrets.without_keys(result.text)
    findings = tuple(secrets.masked(finding, frozenset()) for finding in result.findings)
    if text != result.text:
        message = f"a value looks like a key or a token; {secrets.MASK} is in its place"
        found = TO_FILL_IN.at((), message, help="let the nodes read it from Secrets Manager")
        findings = (*findings, found)
    return result._replace(text=text, findings=findings)


def imported_live(clusters: Sequence[str], answers: Answers, clients: Clients) -> Imported:
    """The spec of a running cluster: ``SERVICE/NAME``, as AWS describes it."""
    found: list[tuple[str, str]] = []
    where = live.Account(answers.region, clients)
    try:
        for each in clusters:
            kind, _, name = each.partition("/")
            found += live.described(kind, name, where)
            answers = answers._replace(name=name)
        answers = live.located(found, answers, where)
    except (account.CallError, LiveError) as error:
        return _refused(NO_ANSWER.at((), str(error), help=_way_out(error)))
    return imported(Request(found, answers))


_WAYS_OUT: Final[Mapping[type[Exception], str]] = {
    account.Missing: "check the name and --region",
    account.Denied: "allow the action, or import what the AWS CLI prints",
    account.Throttled: "try again in a minute",
    account.NoCredentials: "log in again, such as with `aws sso login`, or set AWS_PROFILE",
    account.Unreachable: "check the network and --region, or import what the AWS CLI prints",
    account.NoBotocore: "install the extra `live`",
}


def _way_out(error: Exception) -> str:
    return _WAYS_OUT.get(type(error), "import what the AWS CLI prints for the cluster")


def _imported(request: Request) -> Imported:
    sources: list[Source] = []
    for name, text in request.texts:
        try:
            sources += read(text, name)
        except Unreadable as error:
            return _refused(unreadable(name, text, error))
    first, *others = sorted(sources, key=lambda each: not foreign.recognized(each.data))
    format = foreign.recognized(first.data)
    if not format:
        return _refused(first.place(unknown(first)))
    strangers = [each for each in others if not _belongs(each, format)]
    # Objects of Kubernetes may stand in the file of a cluster, and are not part of it.
    beside = [each for each in strangers if each.name == first.name and is_object(each.data)]
    if far := [each for each in strangers if each not in beside]:
        message = f"{first.name} is one cluster; {far[0].name} does not belong to it"
        return _refused(far[0].place(UNKNOWN.at((), message, help="import the files one by one")))
    belonging = (first, *(each for each in others if each not in strangers))
    if format in _SETS:
        result = _SETS[format](belonging, request.answers)
    else:
        result = parallelcluster.imported(first.data, PurePath(first.name).name, request.answers)
        result = result._replace(findings=tuple(map(first.place, result.findings)))
    left = (each.place(DROPPED.at((), f"a {each.data['kind']}: {_AFTER}")) for each in beside)
    return result._replace(findings=(*result.findings, *left))


_AFTER: Final = "no part of the cluster; apply it when the cluster runs"


def _belongs(source: Source, format: str) -> bool:
    """Whether a further file is of the same cluster."""
    if format not in _SETS or format == foreign.EKSCTL:
        return False
    other = foreign.recognized(source.data)
    supporting = source.is_template or is_parameter_file(source.data) is not None
    if format == foreign.HYPERPOD:
        # The template of an EKS cluster may be beside that of the HyperPod cluster on it.
        return requests.is_parameters(source.data) or supporting
    return other == format or (not other and (supporting or is_launch_template(source)))


def _refused(finding: Finding) -> Imported:
    return Imported("", (finding,), False, 0, 0)
