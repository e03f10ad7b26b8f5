"""``clustergen report``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clustergen import output, targets
from clustergen.analysis import compare, report
from clustergen.analysis.report import MARK, Given, Section
from clustergen.base.findings import errors
from clustergen.bundle.manifest import hashes_in
from clustergen.checking.compiler import Checked
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK, UsageError
from clustergen.commands.request import Input, Request, read
from clustergen.spec import source

if TYPE_CHECKING:
    from clustergen.analysis.diff import Diff

_STDOUT = "-"
_HEAD = 4096
"""Characters that are read of a file, to tell whether it is a report."""


def run(args: argparse.Namespace) -> int:
    request = read(args)
    if len(request.specs) != 1:
        raise UsageError("report is about one spec")
    out = None if args.page == _STDOUT else Path(args.page)
    if out and not args.force:
        _refuse_to_lose(out)
    return _report(request, request.specs[0], out, args)


def _report(request: Request, spec: Input, out: Path | None, args: argparse.Namespace) -> int:
    title = source.name_of(spec.title)
    compared = compare.compare(title, request.check(spec, targets.NAMES), targets.NAMES)
    checked = request.check(spec)
    chosen = "" not in checked.targets
    if not chosen and (best := [each.target.name for each in compared.least_lost[:1]]):
        request = request._replace(targets=tuple(best))
        checked = request.check(spec)
    differences: Mapping[str, Diff] = {}
    if args.base:
        from clustergen.commands import sides  # needs what reads and compares bundles

        differences = sides.changes_since(args.base, args, request, spec)
    bundles = _bundles(checked, Path(args.out or inputs.OUT), out)
    page = report.page(Given(title, checked, compared, differences, bundles, chosen))
    return _write(report.render(page), out) or _tell(checked, out, args)


def _bundles(checked: Checked, folder: Path, out: Path | None) -> Mapping[str, Section]:
    """The links to the bundles that ``render`` has written, from where the page is."""
    start = out.parent if out else Path()
    found: dict[str, Section] = {}
    for name, plan in checked.plans.items():
        place = folder / plan.name / name
        link = Path(os.path.relpath(place, start)).as_posix()
        found[name] = report.bundle(place.as_posix(), _files(place), link)
    return found


def _files(folder: Path) -> Sequence[str]:
    """The files of a bundle; its README and script first."""
    try:
        files = [path for path in hashes_in(folder) or () if (folder / path).is_file()]
    except (OSError, ValueError):
        return ()
    return sorted(files, key=lambda path: (path not in ("README.md", "deploy.sh"), path))


def _refuse_to_lose(out: Path) -> None:
    """:raises UsageError: if the page would replace something other than an earlier report."""
    try:
        if not out.is_file():
            return
        with out.open(encoding="utf-8", errors="replace") as opened:
            is_report = MARK in opened.read(_HEAD)
    except OSError as error:
        raise UsageError(f"cannot read {out}: {error.strerror}") from None
    if not is_report:
        raise UsageError(f"{out} is not a report; --force overwrites it")


def _write(text: str, out: Path | None) -> int:
    """Write or print the page; the exit status."""
    if out is None:
        inputs.print_file(text)
        return OK
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return inputs.print_error(f"cannot write {out}: {reason}")
    return OK


def _tell(checked: Checked, out: Path | None, args: argparse.Namespace) -> int:
    """The exit status, as ``check`` has it; errors and a summary are printed, too."""
    inputs.show(errors(checked.findings), args)
    if out:
        print(f"{out}: {output.summary(output.ordered(checked.findings)) or 'no findings'}")
    return inputs.status(checked.findings, args)
