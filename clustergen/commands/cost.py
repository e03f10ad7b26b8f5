"""``clustergen cost``."""

import argparse
import datetime
import sys

from clustergen import targets
from clustergen.analysis import cost
from clustergen.analysis.cost import Estimate
from clustergen.base.account import CallError
from clustergen.base.findings import Finding, errors
from clustergen.checking.compiler import Checked
from clustergen.commands import inputs
from clustergen.commands.exit_status import UsageError
from clustergen.commands.request import Input, Request, read
from clustergen.facts.catalog.prices import RECORDED, Book
from clustergen.spec.quantities import QuantityError, parse_duration

HOUR_SECONDS = 3600


def run(args: argparse.Namespace) -> int:
    request = read(args)
    hours = hours_of(args.duration) if args.duration else None
    found: list[Estimate] = []
    failed: list[Finding] = []
    try:
        book = _book(live=args.live)
        for spec in request.with_progress():
            checked = _checked(request, spec)
            found += cost.estimate(spec.title, checked, purchases=args.purchases, book=book)
            failed += errors(checked.findings)
    except CallError as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(cost.render(args.output, found, hours))
    return inputs.report(failed, args)  # a target that does not render a spec has no bill


def _book(*, live: bool) -> Book:
    """The prices to use: those of the catalog, or of the Price List as of today."""
    if not live:
        return RECORDED
    from clustergen.facts.catalog.prices import price_list

    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return price_list.Live(price_list.client(), today)


def hours_of(text: str) -> int:
    """The hours of a duration such as ``14d``, rounded up; raises UsageError if it is none."""
    try:
        seconds = parse_duration(text)
    except QuantityError as error:
        raise UsageError(f"{error}; {error.help}") from None
    if not seconds:
        raise UsageError("a duration has to be longer than 0")
    return -(-seconds // HOUR_SECONDS)


def _checked(request: Request, spec: Input) -> Checked:
    """The spec for the targets requested or named in it; for all if there are none."""
    checked = request.check(spec)
    return request.check(spec, targets.NAMES) if checked.targets == ("",) else checked
