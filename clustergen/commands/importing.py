"""``clustergen import``."""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from clustergen.base import account
from clustergen.base.findings import Finding, Severity, Span
from clustergen.commands import inputs
from clustergen.commands.exit_status import FAILED, FOUND, OK, UsageError
from clustergen.commands.init import write_files
from clustergen.commands.request import project_of
from clustergen.facts.catalog import regions
from clustergen.importing import Answers, Imported, Request, imported, imported_live, live
from clustergen.importing.reading import decoded
from clustergen.importing.rules.decisions import DROPPED
from clustergen.spec.patterns import STACK, VPC
from clustergen.spec.source import STDIN, read_text

_LONGEST_NAME = 40


def run(args: argparse.Namespace) -> int:
    out = Path(args.out) if args.out else None
    if out and out.exists() and not args.force:
        return inputs.print_error(f"{out} already exists; --force overwrites it")
    project_of(args)  # it may describe instance types
    try:
        answers = _answers(args)
        texts = [] if args.live else [(name, _text(name)) for name in args.files]
        clusters = _clusters(args) if args.live else []
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text in UTF-8"
        if isinstance(error, IsADirectoryError):
            reason = "it is a directory; name the files of one cluster"
        message = f"cannot read {getattr(error, 'filename', args.files[0])}: {reason}"
        return inputs.print_error(message)
    request = Request(texts, answers)
    result = imported_live(clusters, answers, account.clients) if clusters else imported(request)
    result = result._replace(findings=(*result.findings, *_other_name(result.text, args.name)))
    if result.text and out:
        write_files({out: result.text}, (), force=True, named=True)
    elif result.text:
        inputs.print_file(result.text)
    rejected = [each.placed(_at(each.span, args.out)) for each in result.errors]
    inputs.show([*result.findings, *rejected], args, to_stderr=out is None)
    if result.text:
        _summarize(result, args)
    return _status(result, args)


def _other_name(text: str, given: str | None) -> Iterator[Finding]:
    """That the flag changes nothing."""
    document, _ = read_text(text) if text else (None, [])
    name = document.data.get("name") if document else None
    if given and name and name != given:
        yield DROPPED.at((), f"--name {given}: the configuration has a name, {name}")


def _text(name: str) -> str:
    return decoded(sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes())


def _answers(args: argparse.Namespace) -> Answers:
    zones, parameters = _zones(args.zones), _parameters(args.parameters)
    region, stack = _region(args.region), _stack(args)
    if args.vpc and not re.fullmatch(VPC.regex, args.vpc):
        raise UsageError(f"--vpc {args.vpc}: write the id of a VPC, vpc-...")
    name = args.name or _name(args.files[0])
    return Answers(name, region, args.vpc, zones, args.adopt, parameters, stack)


def _stack(args: argparse.Namespace) -> str:
    if args.stack and not args.adopt:
        raise UsageError("--stack: only --adopt keeps a cluster in its stack")
    if args.stack and not re.fullmatch(STACK.regex, args.stack):
        raise UsageError(f"--stack {args.stack}: write {STACK.description}")
    return str(args.stack)


def _region(given: str | None) -> str:
    if given and given not in regions.REGIONS:
        near = regions.nearest(given)
        hint = f"did you mean {near}?" if near else "regions look like us-east-1"
        raise UsageError(f"--region {given}: no such region; {hint}")
    return given or ""


def _name(file: str) -> str:
    stem = re.sub(r"[^A-Za-z0-9]+", "-", Path(file).name.split(".")[0]).strip("-")
    named = stem if stem[:1].isalpha() else f"cluster-{stem}".strip("-")
    return named[:_LONGEST_NAME].strip("-")


def _zones(given: Sequence[str]) -> Mapping[str, str]:
    """Zones by subnet; the empty id stands for all others."""
    zones: dict[str, str] = {}
    for each in inputs.listed(given):
        subnet, _, zone = each.rpartition("=")
        if subnet and not subnet.startswith("subnet-"):
            raise UsageError(f"--zone {each}: write ZONE or subnet-...=ZONE")
        if regions.region_of_zone(zone) is None:
            raise UsageError(f"--zone {each}: no such zone; write use1-az6 or us-east-1a")
        zones[subnet] = zone
    return zones


def _clusters(args: argparse.Namespace) -> list[str]:
    (name,) = args.files if len(args.files) == 1 else ("",)
    kind, slash, cluster = name.partition("/")
    if kind not in live.READERS or not cluster or slash != "/":
        raise UsageError(f"--live: write SERVICE/NAME, with one of {', '.join(live.READERS)}")
    if not args.region:
        raise UsageError("--live: write --region")
    return [name]


def _parameters(given: Sequence[str]) -> Mapping[str, str]:
    if wrong := [each for each in given if "=" not in each]:
        raise UsageError(f"--parameter {wrong[0]}: write NAME=VALUE")
    return dict(each.split("=", 1) for each in given)


def _at(span: Span | None, file: str | None) -> Span | None:
    """A place in the spec, by the name of its file."""
    return replace(span, file=file) if span and file else span


def _summarize(result: Imported, args: argparse.Namespace) -> None:
    if args.output != "text":
        return
    proof = "renders to the same configuration" if result.lossless else "loses something"
    if result.errors:
        proof = "has errors"
    values = f"{result.words} of {result.words + result.overlaid} values as fields of the spec"
    overlay = f", {result.overlaid} in the overlay" if result.overlaid else ""
    less = f"; the overlay removes {result.removed} that clustergen adds" if result.removed else ""
    counted = f"{values}{overlay}{less}; " if result.words + result.overlaid else ""
    print(f"imported: {counted}the spec {proof}", file=sys.stderr)
    if args.out:
        print(f"next: `clustergen check {args.out}`", file=sys.stderr)


def _status(result: Imported, args: argparse.Namespace) -> int:
    if inputs.could_not(result.findings):
        return FAILED
    if not result.text:
        return FOUND
    failed = bool(result.errors) or not (result.lossless or args.allow_loss)
    strict = args.strict and any(f.severity is Severity.WARNING for f in result.findings)
    return FOUND if failed or strict else OK
