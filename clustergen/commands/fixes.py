"""``clustergen check --fix`` and ``--diff``."""

import argparse
import difflib
import functools
import io
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from clustergen.base import secrets
from clustergen.base.findings import Finding, errors
from clustergen.checking import fixing
from clustergen.checking.compiler import Checked
from clustergen.checking.fixing import Fixed
from clustergen.checking.fixing.files import write
from clustergen.checking.fixing.rules.file import NOT_WRITTEN
from clustergen.checking.project import Project
from clustergen.commands import inputs
from clustergen.commands.exit_status import FOUND
from clustergen.commands.request import Input, Request
from clustergen.output.order import place, shown
from clustergen.spec import source


class Run:
    """The files of all specs, as they are and as they will be."""

    def __init__(self, request: Request, wanted: Callable[[Finding], bool]) -> None:
        self.request = request
        self.wanted = wanted
        self.before: dict[str, bytes] = {}
        self.after: dict[str, bytes] = {}
        self.fixed: list[Finding] = []
        for spec in request.specs:
            for file in spec.files:
                if file not in self.before and (content := source.content_of(file)) is not None:
                    self.before[file] = self.after[file] = content

    def fix(self, spec: Input) -> None:
        """Fix one spec. A file that it shares stays if its new text is wrong for another spec."""
        fixed = self._fixed(spec, frozenset())
        changed = {file for file, text in fixed.contents.items() if text != self.after[file]}
        harmed = {
            file
            for other in self.request.specs
            if other != spec and (shared := changed & set(other.files))
            if self._is_worse(other, fixed.contents)
            for file in shared
        }
        if harmed:
            fixed = self._fixed(spec, frozenset(harmed))
        self.after |= fixed.contents
        self.fixed += fixed.findings

    def _fixed(self, spec: Input, frozen: frozenset[str]) -> Fixed:
        contents = {file: self.after[file] for file in spec.files if file in self.after}
        check = functools.partial(self.check, spec)
        return fixing.fix(contents, check, wanted=self.wanted, frozen=frozen)

    def _is_worse(self, spec: Input, contents: Mapping[str, bytes]) -> bool:
        """Whether a spec has an error with ``contents`` that it does not have now."""
        before, after = (
            {(f.code, f.path, f.target) for f in errors(self.check(spec, texts).findings)}
            for texts in (self.after, {**self.after, **contents})
        )
        return not after <= before

    def check(self, spec: Input, contents: Mapping[str, bytes]) -> Checked:
        return self.request.check(spec, contents=contents)

    def fix_project(self, project: Project) -> list[Finding]:
        """Remove ignored codes that hide nothing; the findings that are left."""
        from clustergen.checking.project.loading import unused

        findings = unused(project, self.request.hidden)
        fixed = [f for f in findings if f.edits and self.wanted(f)]
        if fixed:
            file = project.text.name
            self.before[file] = Path(file).read_bytes()
            self.after[file] = fixing.edited(self.before[file], file, fixed)
            self.fixed += fixed
        return [f for f in findings if f not in fixed]

    def changed(self) -> list[str]:
        return [file for file in self.before if self.before[file] != self.after[file]]


def run(request: Request, args: argparse.Namespace, codes: tuple[str, ...]) -> int:
    """Fix the findings with ``codes`` (all without codes) of all specs; report what is left."""
    run = Run(request, functools.partial(_is_fixable, codes, args.unsafe_fixes))
    for spec in request.specs:
        run.fix(spec)
    found: list[Finding] = []
    done: list[Sequence[str]] = []
    request.hidden.clear()
    for spec in request.specs:
        checked = run.check(spec, run.after)
        found += checked.listed
        done.append(checked.targets)
    if request.project and not args.specs and not args.files:
        found += run.fix_project(request.project)
    left = inputs.selected(found, codes)
    to_stderr = args.diff or source.STDIN in run.before
    if args.diff:
        _print_diff(run)
    else:
        left += _write(run, args)
    inputs.show(left, args, to_stderr=to_stderr, custom=request.custom)
    inputs.summarize(done, args)
    print("\n".join(_summary(run, left, args)), file=sys.stderr)
    status = inputs.status(left, args)
    return max(status, FOUND) if args.diff and run.changed() else status


def repair(findings: Sequence[Finding]) -> bool:
    """Fix misspelt keys of the project file; whether that changed it."""
    fixed = [finding for finding in findings if finding.edits]
    for file in {edit.file for finding in fixed for edit in finding.edits}:
        before = Path(file).read_bytes()
        if write(file, before, fixing.edited(before, file, fixed)):
            return False
    return bool(fixed)


def _is_fixable(codes: tuple[str, ...], unsafe: bool, finding: Finding) -> bool:
    if finding.fix is None or not inputs.selected([finding], codes):
        return False
    return unsafe or finding.fix.is_safe


def _print_diff(run: Run) -> None:
    for file in run.changed():
        name, old, new = source.name_of(file), _masked(run.before[file]), _masked(run.after[file])
        for line in difflib.unified_diff(old, new, name, name):
            _print(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")


def _masked(content: bytes) -> list[str]:
    """The lines of a file, with their line breaks."""
    lines = content.decode("utf-8-sig").splitlines(keepends=True)
    bare = [line.rstrip("\r\n") for line in lines]
    masked = zip(secrets.hidden(bare), lines, bare, strict=True)
    return [hidden + line[len(end) :] for hidden, line, end in masked]


def _write(run: Run, args: argparse.Namespace) -> list[Finding]:
    project = run.request.project
    named = (*args.specs, *args.files, *([project.folder] if project else []))
    places = [os.path.realpath(each) for each in named]
    findings: list[Finding] = []
    for file in run.changed():
        if not any(Path(os.path.realpath(file)).is_relative_to(place) for place in places):
            findings.append(_outside(file))
        elif file != source.STDIN:
            findings += write(file, run.before[file], run.after[file])
    if source.STDIN in run.after:
        _print(run.after[source.STDIN].decode("utf-8-sig"))
    return findings


def _outside(file: str) -> Finding:
    """A file that only the project file or a link names: another user may have written those."""
    help = f"name it, if it is to change: clustergen check --fix {shlex.quote(file)}"
    return NOT_WRITTEN.at((), f"cannot write {file}: it is outside the project", help=help)


def _print(text: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")  # as the file itself
    sys.stdout.write(text)


def _summary(run: Run, left: Iterable[Finding], args: argparse.Namespace) -> Iterator[str]:
    """What was fixed, and what is left: `12 fixed, 3 left; 2 more with --unsafe-fixes`."""
    fixed, left = shown(run.fixed), shown(left)
    if not args.diff:
        for finding in fixed:
            where = f"{place(finding.span)}: " if finding.span else ""
            yield f"fixed {where}{finding.code} {finding.message}"
    more = sum(1 for f in left if f.fix and not f.fix.is_safe and f.edits)
    hint = f"; {more} more with --unsafe-fixes" if more and not args.unsafe_fixes else ""
    would = "would be " if args.diff else ""
    yield f"{len(fixed)} {would}fixed, {len(left)} left{hint}"
