"""``clustergen render``."""

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clustergen import bundle, output, targets
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.base.findings import Finding, Rule, Unrenderable, errors
from clustergen.bundle import effects, renderer
from clustergen.bundle.rules.folder import NOT_A_FOLDER, SAME_NAME
from clustergen.checking.compiler import Checked
from clustergen.checking.project import Project
from clustergen.commands import inputs, served
from clustergen.commands.exit_status import FOUND, UsageError
from clustergen.commands.request import Input, read
from clustergen.spec import placeholders


@dataclass(slots=True)
class Rendering:
    """One run of the command: its arguments, and the findings so far."""

    args: argparse.Namespace
    outputs: Mapping[str, str] | None
    findings: list[Finding] = field(default_factory=list)
    folders: dict[str, str] = field(default_factory=dict)
    """The folders written so far, in lower case, with their specs."""
    lines: list[str] = field(default_factory=list)
    custom: Sequence[Rule] = ()
    """The custom rules of the project."""


def run(args: argparse.Namespace) -> int:
    named = bool(args.out)  # before the project file sets it
    request = read(args)
    _usage(args, request.specs)
    outputs, findings = placeholders.read_outputs(args.outputs) if args.outputs else (None, [])
    if not named and not args.stdout:
        findings += _leads_away(Path(args.out or inputs.OUT), request.project)
    rendering = Rendering(args, outputs, list(findings), custom=request.custom)
    if errors(findings):
        return _report(rendering, [])
    nowhere: list[str] = []
    for spec in request.with_progress():
        checked = request.check(spec)
        rendering.findings += inputs.detached(checked.listed, args)
        if "" in checked.plans:
            nowhere.append(spec.title)
        elif args.stdout:
            return _print(checked, rendering)
        else:
            _bundles(checked, spec.title, rendering)
    return _report(rendering, nowhere)


def _leads_away(out: Path, project: Project | None) -> Iterator[Finding]:
    """A finding for each way out of the project that is not named on the command line."""
    if project:
        from clustergen.checking.project.loading import outside  # few folders have a project

        yield from outside(project)
    for path in (*reversed(out.parents), out):
        if path.is_symlink():
            help = f"remove the link, or follow it with -o {shlex.quote(str(out))}"
            yield NOT_A_FOLDER.at((), f"{path} is a symbolic link", help=help)


def _usage(args: argparse.Namespace, specs: Sequence[Input]) -> None:
    if args.file and not args.stdout:
        raise UsageError("--file needs --stdout")
    if args.stdout and len(specs) != 1:
        raise UsageError("--stdout takes one spec")


def _report(rendering: Rendering, nowhere: Sequence[str]) -> int:
    args = rendering.args
    to_stderr = args.output in output.FOR_PEOPLE
    inputs.show(rendering.findings, args, to_stderr=to_stderr, custom=rendering.custom)
    for line in rendering.lines:
        print(line, file=sys.stdout if to_stderr else sys.stderr)
    if nowhere:
        return inputs.refuse_without_target(nowhere[0])
    return inputs.status(rendering.findings, args)


def _bundles(checked: Checked, title: str, rendering: Rendering) -> None:
    """Write or compare the bundle of every target that can be rendered."""
    out = Path(rendering.args.out or inputs.OUT)
    rendering.findings += served.findings(list(checked.plans.values()), out)
    for target, plan in checked.plans.items():
        files = _files(checked, target, rendering)
        if files is None:
            continue
        parent = out / plan.name
        folder = parent / target
        if parent.is_symlink():
            help = "remove the link, or name the folder that it is in with -o"
            rendering.findings += [NOT_A_FOLDER.at((), f"{parent} is a symbolic link", help=help)]
            return
        # Some file systems do not distinguish upper and lower case.
        place = str(folder).casefold()
        if place in rendering.folders:
            both = f"{title} and {rendering.folders[place]}"
            message = f"{both} would both be written to {folder}"
            rendering.findings.append(SAME_NAME.at(("name",), message))
            continue
        rendering.folders[place] = title
        _settle(folder, files, rendering)


def _files(checked: Checked, target: str, rendering: Rendering) -> Bundle | None:
    try:
        files = renderer.render(checked, target)
    except Unrenderable as error:
        # The findings of the check are already reported.
        rendering.findings += (f for f in error.findings if f not in checked.findings)
        return None
    if rendering.outputs is None:
        return files
    filled, findings = _filled(files, rendering.outputs)
    rendering.findings += (replace(finding, target=target) for finding in findings)
    return None if findings else filled


def _filled(files: Bundle, outputs: Mapping[str, str]) -> tuple[Bundle, list[Finding]]:
    """The bundle, with the placeholders in its documents replaced by stack outputs."""
    filled: list[Artifact] = []
    findings: list[Finding] = []
    for artifact in files:
        if artifact.path.endswith((".yaml", ".json")) and "template" not in artifact.path:
            text, missing = placeholders.fill(artifact.text, outputs)
            findings += placeholders.unfilled(artifact.path, missing)
            filled.append(replace(artifact, text=text))
        else:
            filled.append(artifact)
    return tuple(filled), findings


def _settle(folder: Path, files: Bundle, rendering: Rendering) -> None:
    if rendering.args.check:
        different = bundle.check(folder, files)
        rendering.findings += different
        rendering.lines.append(f"{folder}: {'differs' if errors(different) else 'up to date'}")
        return
    found = effects.of_folder(folder, files)
    try:
        written = bundle.write(folder, files, force=rendering.args.force)
    except Unrenderable as error:
        rendering.findings += error.findings
        return
    changed = len(written.changed)
    rendering.lines.append(f"{folder}: {len(files)} files, {changed or 'none'} changed")
    rendering.lines += (f"{folder}: deploying it {effect.text}" for effect in found)


def _print(checked: Checked, rendering: Rendering) -> int:
    """One artifact on stdout; findings, if any, on stderr."""
    args = rendering.args
    names = list(checked.plans)
    if len(names) > 1:
        message = f"--stdout takes one target; add --target with one of {', '.join(names)}"
        return inputs.print_error(message)
    files = _files(checked, names[0], rendering) if names else None
    inputs.show(rendering.findings, args, to_stderr=True, custom=rendering.custom)
    if files is None:
        return inputs.status(rendering.findings, args) or FOUND
    wanted = args.file or targets.load(names[0]).document_path(checked.plans[names[0]])
    texts = {artifact.path: artifact.text for artifact in files}
    if wanted not in texts:
        return inputs.print_error(f"no {wanted} in this bundle; use one of {', '.join(texts)}")
    inputs.print_file(texts[wanted])
    return inputs.status(rendering.findings, args)
