"""``clustergen cost``."""

from __future__ import annotations

import argparse
import datetime
import sys

from clustergen import quotation, report, targets
from clustergen.account import CallError
from clustergen.catalog.prices import RECORDED, Book
from clustergen.commands import inputs
from clustergen.commands.exit_status import FAILED, FOUND, OK
from clustergen.commands.request import Input, Request, read
from clustergen.compiler import Checked
from clustergen.findings import Finding, errors
from clustergen.quotation import Quotation
from clustergen.spec.quantities import QuantityError, parse_duration

HOUR_SECONDS = 3600


def run(args: argparse.Namespace) -> int:
    try:
        request = read(args)
        hours = hours_of(args.duration) if args.duration else None
        book = _book(live=args.live)
        return _run(args, request, hours, book)
    except inputs.UsageError as error:
        return inputs.refuse(error, args)
    except CallError as error:
        return inputs.print_error(str(error))


def _run(args: argparse.Namespace, request: Request, hours: int | None, book: Book) -> int:
    found: list[Quotation] = []
    failed: list[Finding] = []
    progress = inputs.Progress(len(request.specs))
    for index, spec in enumerate(request.specs):
        progress.at(index, spec.title)
        checked = _checked(request, spec)
        found += quotation.quote(spec.title, checked, purchases=args.purchases, book=book)
        failed += errors(checked.findings)
    progress.done()
    sys.stdout.write(quotation.render(args.output, found, hours))
    return _status(failed)


def _book(*, live: bool) -> Book:
    """The prices to use: those of the catalog, or of the Price List as of today."""
    if not live:
        return RECORDED
    from clustergen.catalog.prices import price_list

    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return price_list.Live(price_list.client(), today)


def hours_of(text: str) -> int:
    """The hours of a duration such as ``14d``, rounded up.

    :raises UsageError: if it is none.
    """
    try:
        seconds = parse_duration(text)
    except QuantityError as error:
        raise inputs.UsageError(f"{error}; {error.help}") from None
    if not seconds:
        raise inputs.UsageError("a duration has to be longer than 0")
    return -(-seconds // HOUR_SECONDS)


def _checked(request: Request, spec: Input) -> Checked:
    """The spec for the targets requested or named in it; for all if there are none."""
    checked = request.check(spec)
    return request.check(spec, targets.NAMES) if checked.targets == ("",) else checked


def _status(failed: list[Finding]) -> int:
    """The exit status; a target that does not render a spec has no bill."""
    if failed:
        sys.stderr.write(report.render("text", failed, {}))
    if inputs.could_not(failed):
        return FAILED
    return FOUND if failed else OK
