"""``clustergen report``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clustergen import comparison, report, report_page, source, targets
from clustergen.bundle.manifest import hashes_in
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK
from clustergen.commands.request import Input, Request, read
from clustergen.compiler import Checked
from clustergen.findings import errors
from clustergen.report_page import MARK, Given, Section

if TYPE_CHECKING:
    from clustergen.difference import Difference

_STDOUT = "-"
_HEAD = 4096
"""Characters that are read of a file, to tell whether it is a report."""


def run(args: argparse.Namespace) -> int:
    try:
        request = read(args)
        if len(request.specs) != 1:
            raise inputs.UsageError("report is about one spec")
        out = None if args.page == _STDOUT else Path(args.page)
        if out and not args.force:
            _refuse_to_lose(out)
        return _report(request, request.specs[0], out, args)
    except inputs.UsageError as error:
        return inputs.refuse(error, args)


def _report(request: Request, spec: Input, out: Path | None, args: argparse.Namespace) -> int:
    title = source.name_of(spec.title)
    compared = comparison.compare(title, request.check(spec, targets.NAMES), targets.NAMES)
    checked = request.check(spec)
    chosen = "" not in checked.targets
    if not chosen and (best := [each.target.name for each in compared.least_lost[:1]]):
        request = request._replace(targets=tuple(best))
        checked = request.check(spec)
    differences: Mapping[str, Difference] = {}
    if args.base:
        from clustergen.commands import sides  # needs what reads and compares bundles

        differences = sides.changes_since(args.base, args, request, spec)
    page = report_page.page(
        Given(
            title,
            checked,
            compared,
            differences,
            _bundles(checked, Path(args.out or inputs.OUT), out),
            chosen,
        )
    )
    return _write(report_page.render(page), out) or _tell(checked, out, args)


def _bundles(checked: Checked, folder: Path, out: Path | None) -> Mapping[str, Section]:
    """The links to the bundles that ``render`` has written, from where the page is."""
    start = out.parent if out else Path()
    found: dict[str, Section] = {}
    for name, plan in checked.plans.items():
        place = folder / plan.name / name
        link = Path(os.path.relpath(place, start)).as_posix()
        found[name] = report_page.bundle(place.as_posix(), _files(place), link)
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
        if not out.is_file() or MARK in _head(out):
            return
    except OSError as error:
        raise inputs.UsageError(f"cannot read {out}: {error.strerror}") from None
    raise inputs.UsageError(f"{out} is not a report; --force overwrites it")


def _head(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as opened:
        return opened.read(_HEAD)


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
    findings = checked.findings
    sys.stderr.write(report.render("text", errors(findings), {}))
    if out:
        print(f"{out}: {report.summary(report.ordered(findings)) or 'no findings'}")
    return inputs.status(findings, args)
