"""Turning configurations of other tools into specs: ``clustergen import``.

An import maps what has a word, puts the rest in the overlay, renders the result, and compares it
with the original in the service's own terms. What differs is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
from clustergen.importing.descriptions import VERSIONS
from clustergen.importing.hyperpod import requests
from clustergen.importing.reading import Source, Unreadable, read
from clustergen.importing.rules.decisions import TO_FILL_IN
from clustergen.importing.rules.formats import INCOMPLETE, NO_ANSWER, UNKNOWN
from clustergen.importing.settings import TEMPLATE

__all__ = ["Answers", "Imported", "Request", "imported", "imported_live"]

_SETS: Final[Mapping[str, Callable[[Sequence[Source], Answers], Imported]]] = {
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
    sources = []
    for name, text in request.texts:
        try:
            sources.append(read(text, name))
        except Unreadable as error:
            finding = UNKNOWN.at((), f"neither YAML nor JSON: {error}", help="repair the file")
            return _refused(replace(finding, span=error.span))
    first, *others = sorted(sources, key=lambda each: not foreign.recognized(each.data))
    format = foreign.recognized(first.data)
    stranger = next((each for each in others if not _belongs(each, format)), None)
    if stranger and format:
        message = f"{first.name} is one cluster; {stranger.name} does not belong to it"
        return _refused(UNKNOWN.at((), message, help="import the files one by one"))
    if format in _SETS:
        return _SETS[format]((first, *others), request.answers)
    return _of_one(first, request.answers)


def _of_one(first: Source, answers: Answers) -> Imported:
    """The spec of a format in which one file is a cluster."""
    format = foreign.recognized(first.data)
    origin = PurePath(first.name).name
    if format == foreign.PARALLELCLUSTER:
        result = parallelcluster.imported(first.data, origin, answers)
    else:
        return _refused(first.place(_unknown(first)))
    return result._replace(findings=tuple(map(first.place, result.findings)))


def _unknown(source: Source) -> Finding:
    if _is_launch_template(source):
        return INCOMPLETE.at(
            (),
            f"{source.name} has launch templates, and no cluster that uses them",
            help="add the file of the cluster: import FILE FILE ...",
        )
    return UNKNOWN.at(
        (),
        f"{source.name} is in no format that can be imported",
        help="import a ParallelCluster 3 configuration, an eksctl configuration, or a cluster of "
        "HyperPod, PCS, EKS or Batch: its request, description, or CloudFormation template",
    )


def _belongs(source: Source, format: str) -> bool:
    """Whether a further file is of the same cluster."""
    if format not in _SETS:
        return False
    other = foreign.recognized(source.data)
    supporting = source.is_template or is_parameter_file(source.data) is not None
    if format == foreign.HYPERPOD:
        # The template of an EKS cluster may be beside that of the HyperPod cluster on it.
        return requests.is_parameters(source.data) or supporting
    return other == format or (not other and (supporting or _is_launch_template(source)))


def _is_launch_template(source: Source) -> bool:
    """Whether it has launch templates: a template, or what EC2 describes."""
    resources = source.data["Resources"].values() if source.is_template else ()
    types = (each.get("Type") for each in resources if isinstance(each, Mapping))
    described = isinstance(source.data, Mapping) and VERSIONS in source.data
    return described or TEMPLATE in types


def _refused(finding: Finding) -> Imported:
    return Imported("", (finding,), False, 0, 0)
