"""What the commands on specs were asked to compile, by their arguments and the project file."""

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from clustergen.base.findings import Finding, Rule
from clustergen.checking import compiler, project
from clustergen.checking.compiler import Checked
from clustergen.checking.project import Cluster, Project
from clustergen.commands import inputs
from clustergen.commands.exit_status import UsageError
from clustergen.spec.source import STDIN, content_of


class Input(NamedTuple):
    """One spec to compile: its files, in merge order, and what the project file adds."""

    files: tuple[str, ...]
    sets: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    """The targets of all clusters of the project file that have these files."""

    @property
    def title(self) -> str:
        return self.files[0]


class Request(NamedTuple):
    """Everything that a command on specs was asked for, by its arguments and the project file."""

    specs: Sequence[Input]
    project: Project | None
    sets: tuple[str, ...]
    targets: tuple[str, ...]
    ignored: tuple[str, ...]
    allow_unsupported: bool
    hidden: list[Finding]
    """The findings that were ignored so far."""
    piped: dict[str, bytes]
    """Standard input, by its name ``-``, once it is read: a spec may be checked several times."""

    def check(
        self,
        spec: Input,
        targets: Sequence[str] = (),
        contents: Mapping[str, bytes] = MappingProxyType({}),
    ) -> Checked:
        """Check one of the specs, for ``targets`` if there are any.

        ``contents`` are the contents of files that are not read, by name.
        """
        checked = compiler.check(
            spec.files,
            sets=(*spec.sets, *self.sets),
            targets=targets or self.targets or spec.targets,
            allow_unsupported=self.allow_unsupported,
            ignore=self.ignored,
            rules=self.project.rules if self.project else (),
            contents=contents or self.contents(spec),
            declared=spec.declared,
        )
        self.hidden.extend(checked.ignored)
        if self.project and self.project.faults:
            # Rules that could not run may have found something: nothing is rendered.
            return replace(checked, findings=(*self.project.faults, *checked.findings))
        return checked

    def with_progress(self) -> Iterator[Input]:
        """The specs, of which a terminal shows which one is at work."""
        progress = inputs.Progress(len(self.specs))
        for index, spec in enumerate(self.specs):
            progress.at(index, spec.title)
            yield spec
        progress.done()

    def contents(self, spec: Input) -> Mapping[str, bytes]:
        """The contents of files of the spec that can be read only once, by name."""
        if STDIN in spec.files and STDIN not in self.piped:
            content = content_of(STDIN)
            if content is not None:
                self.piped[STDIN] = content
        return self.piped

    @property
    def custom(self) -> Sequence[Rule]:
        """The custom rules of the project."""
        return (self.project.rules if self.project else ()) or ()


def read(args: argparse.Namespace) -> Request:
    """The request in the arguments of a command.

    :raises UsageError: if the arguments or the project file are not valid.
    """
    found = project_of(args)
    if found:
        args.strict = getattr(args, "strict", False) or found.strict
        if getattr(args, "out", "") is None and found.out:
            args.out = os.path.relpath(found.out)
    named = getattr(args, "targets", ())
    ignored = inputs.codes(getattr(args, "ignored", ()), found.rules if found else ())
    return Request(
        _specs(args, found),
        found,
        tuple(args.sets),
        tuple(inputs.wanted(named)),
        ignored + tuple(found.ignore if found else ()),
        getattr(args, "allow_unsupported", False),
        [],
        {},
    )


def project_of(args: argparse.Namespace) -> Project | None:
    """The project of the working folder, with its custom rules if they may run.

    :raises UsageError: if the project file is not valid.
    """
    file = project.find(Path.cwd())
    if file is None:
        return None
    from clustergen.checking.project.loading import load

    given = getattr(args, "custom_rules", False)
    found, findings = load(file, os.path.relpath(file), custom_rules=given, remember=bool(given))
    if found is None:
        raise UsageError("the project file is not valid", findings)
    return found


def _specs(args: argparse.Namespace, found: Project | None) -> list[Input]:
    over = tuple(args.files)
    clusters = found.clusters if found else {}
    if not args.specs:
        if over:
            return [Input(over)]
        if not clusters:
            raise UsageError("name a spec file, a folder of specs, or -f FILE")
        return _declared([_cluster(cluster, ()) for cluster in clusters.values()], clusters)
    overlays = {_real(file) for each in clusters.values() for file in each.files[1:]}
    specs: list[Input] = []
    for given in args.specs:
        if given in clusters and not Path(given).exists():
            specs.append(_cluster(clusters[given], over))
        elif (file := _real(given)) in overlays:
            # It is a part of a spec: hooks, for example, name each changed file.
            whole = (c for c in clusters.values() if file in map(_real, c.files))
            named = (_cluster(cluster, over) for cluster in whole)
            specs += (cluster for cluster in named if cluster not in specs)
        else:
            specs += (Input((name, *over)) for name in _expanded(given, overlays))
    return _declared(specs, clusters)


def _declared(specs: Iterable[Input], clusters: Mapping[str, Cluster]) -> list[Input]:
    """The specs with the targets that the project file has for their files.

    They count for the foundation, however the command line names a spec and its targets.
    """
    named: dict[tuple[str, ...], list[str]] = {}
    for cluster in clusters.values():
        files = tuple(map(_real, cluster.files))
        named.setdefault(files, []).extend(inputs.wanted(cluster.targets))
    found = ((each, named.get(tuple(map(_real, each.files)), [])) for each in specs)
    declared = ((each, dict.fromkeys((*each.targets, *names))) for each, names in found)
    return [each._replace(declared=tuple(names)) for each, names in declared]


def _real(file: str | Path) -> str:
    """The file without links; links in a circle stay, unlike in ``Path.resolve``."""
    return os.path.realpath(file)


def _cluster(cluster: Cluster, over: tuple[str, ...]) -> Input:
    files = tuple(os.path.relpath(file) for file in cluster.files)
    return Input((*files, *over), cluster.sets, tuple(inputs.wanted(cluster.targets)))


def _expanded(given: str, overlays: Set[str]) -> Iterator[str]:
    """The spec files that an argument names: itself, or those in a folder, less ``overlays``."""
    folder = Path(given)
    if given == "-" or not folder.is_dir():
        yield given
        return
    found = sorted(path for path in _below(folder) if _real(path) not in overlays)
    if not found:
        raise UsageError(f"{given} has no .yaml files")
    yield from (str(path) for path in found)


def _below(folder: Path) -> Iterator[Path]:
    """The YAML files below ``folder``, except in hidden folders and rendered bundles."""
    from clustergen import bundle  # a check of one file does without it

    for path in folder.iterdir():
        if path.is_dir():
            hidden = path.name.startswith(".") or path.is_symlink()
            if not hidden and not (path / bundle.MANIFEST).exists():
                yield from _below(path)
        elif path.suffix in (".yaml", ".yml") and path.is_file():
            yield path
