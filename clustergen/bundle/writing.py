"""Writing a bundle: staged beside the folder, then swapped in."""

import errno
import fcntl
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from clustergen.base.artifacts import Bundle
from clustergen.base.digests import sha256
from clustergen.base.findings import Finding, Unrenderable
from clustergen.bundle import manifest
from clustergen.bundle.rules import folder as problems
from clustergen.bundle.up_to_date import compare

_ELSEWHERE = "name another folder with -o"
_FORCE = "move it away, or let --force overwrite it"


@dataclass(frozen=True, slots=True)
class Written:
    """Result of :func:`write`: sorted paths within the folder."""

    directory: Path
    changed: tuple[str, ...]
    """New files, and files with new content or mode."""
    removed: tuple[str, ...]
    """Files of the previous bundle that this one lacks."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The folder, and its hidden siblings during replacement."""

    folder: Path

    @property
    def new(self) -> Path:
        return self.folder.with_name(f".{self.folder.name}.clustergen-new")

    @property
    def old(self) -> Path:
        return self.folder.with_name(f".{self.folder.name}.clustergen-old")


def write(directory: str | os.PathLike[str], bundle: Bundle, *, force: bool = False) -> Written:
    """Write ``bundle`` to ``directory`` completely, or not at all if that fails.

    Other files in the folder are kept. ``force`` overwrites files edited by hand, and writes to
    folders that clustergen did not write.

    :raises Unrenderable: with BND findings, if writing is unsafe or fails.
    """
    place = _Place(_named(Path(directory)))
    _stop_for(list(manifest.bad_paths(bundle)))
    try:
        _stop_for(list(_wrong_kind(place.folder)))
        place.folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(place.folder.parent):
            _recover(place)
            return _replace(place, bundle, force)
    except (OSError, ValueError) as error:
        raise Unrenderable([_failure(place, error)]) from error


def _named(folder: Path) -> Path:
    """``folder`` as a path that ends in its name, so that it has siblings."""
    return folder if folder.name not in ("", "..") else Path(os.path.abspath(folder))


def _replace(place: _Place, bundle: Bundle, force: bool) -> Written:
    folder = place.folder
    before = _known(folder, force)
    _stop_for(list(_conflicts(folder, before, bundle, force)))
    written = _difference(folder, before, bundle)
    whole = (*bundle, manifest.manifest_of(bundle))
    if written.changed or written.removed or any(compare(folder, whole[-1])):
        if folder.exists() and not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, "the folder is read-only")
        _stage(place, whole)
        _swap(place)
        _keep_others(place, before)
    return written


def _known(folder: Path, force: bool) -> manifest.Hashes:
    """The hashes of the files that clustergen wrote to ``folder``; empty if it wrote none.

    :raises Unrenderable: if it contains other files, without ``force``.
    """
    try:
        known = manifest.hashes_in(folder)
    except ValueError as error:
        if force:
            return {}
        help = "restore it from version control, or let --force overwrite the bundle's files"
        raise Unrenderable(
            [problems.BAD_MANIFEST.at((), f"{folder / manifest.MANIFEST}: {error}", help=help)]
        ) from error
    if known is None and not force and folder.is_dir() and any(folder.iterdir()):
        message = f"{folder} is not empty, and clustergen did not write it"
        help = f"{_ELSEWHERE}, or add the bundle's files to this one with --force"
        raise Unrenderable([problems.NOT_OURS.at((), message, help=help)])
    return known or {}


def _wrong_kind(folder: Path) -> Iterator[Finding]:
    if not folder.name:
        yield problems.NOT_A_FOLDER.at((), f"{folder} cannot be replaced", help=_ELSEWHERE)
    elif folder.is_symlink():
        yield problems.NOT_A_FOLDER.at(
            (), f"{folder} is a symbolic link", help="name the folder it leads to"
        )
    elif os.path.lexists(folder) and not folder.is_dir():
        yield problems.NOT_A_FOLDER.at((), f"{folder} is a file", help=_ELSEWHERE)


def _conflicts(
    folder: Path, before: manifest.Hashes, bundle: Bundle, force: bool
) -> Iterator[Finding]:
    """Obstacles to writing ``bundle``. Only plain files are ever overwritten."""
    wanted = {artifact.path: manifest.content(artifact) for artifact in bundle}
    for name in sorted({*before, *wanted}):
        path = folder / name
        if blocker := _blocker(folder, name):
            yield problems.IN_THE_WAY.at(
                (), f"{blocker} is in the way of {path}", help="move it away"
            )
        elif os.path.lexists(path) and not force:
            found = path.read_bytes()
            known = {sha256(found), sha256(manifest.with_line_feeds(found))}
            if found != wanted.get(name) and before.get(name) not in known:
                yield _user_file(path, name in before)


def _user_file(path: Path, rendered: bool) -> Finding:
    if rendered:
        help = "put the change into the spec or the target's overlay, or drop it with --force"
        return problems.EDITED.at((), f"{path} was changed since it was rendered", help=help)
    return problems.IN_THE_WAY.at(
        (), f"{path} exists, and clustergen did not write it", help=_FORCE
    )


def _blocker(folder: Path, name: str) -> Path | None:
    """The first part of the path to ``name`` in ``folder`` that is not a real folder or file."""
    *folders, file = name.split("/")
    path = folder
    for step in folders:
        path /= step
        if os.path.lexists(path) and not _is_real_folder(path):
            return path
    path /= file
    wrong = os.path.lexists(path) and (path.is_symlink() or not path.is_file())
    return path if wrong else None


def _difference(folder: Path, before: manifest.Hashes, bundle: Bundle) -> Written:
    same = {a.path for a in bundle if not any(compare(folder, a))}
    paths = {artifact.path for artifact in bundle}
    removed = (name for name in set(before) - paths if os.path.lexists(folder / name))
    return Written(folder, *(tuple(sorted(names)) for names in (paths - same, removed)))


def _stage(place: _Place, bundle: Bundle) -> None:
    """Write ``bundle`` beside the folder; leave nothing behind on failure."""
    try:
        place.new.mkdir()
        for artifact in bundle:
            _write_file(place.new / artifact.path, manifest.content(artifact), artifact.executable)
        if place.folder.exists():
            shutil.copymode(place.folder, place.new)
    except BaseException:
        shutil.rmtree(place.new, ignore_errors=True)
        raise


def _write_file(path: Path, content: bytes, executable: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "xb") as stream:
        stream.write(content)
        if executable:
            mode = os.fstat(stream.fileno()).st_mode
            os.fchmod(stream.fileno(), mode | (mode & 0o444) >> 2)


def _swap(place: _Place) -> None:
    """Swap in the new folder; the old one becomes ``place.old`` for now."""
    had = place.folder.exists()
    try:
        if had:
            os.rename(place.folder, place.old)
        os.rename(place.new, place.folder)
    except BaseException:
        if had and not place.folder.exists():
            os.rename(place.old, place.folder)
        shutil.rmtree(place.new, ignore_errors=True)
        raise


def _keep_others(place: _Place, ours: Collection[str]) -> None:
    """Move the user's files from the old folder to the new one, and remove the old one.

    The manifest is moved last, so that the next run can finish an interrupted one.
    """
    if not place.old.exists():
        return
    for name in sorted(ours, reverse=True):
        (place.old / name).unlink(missing_ok=True)
        for parent in (place.old / name).parents:
            if parent == place.old:
                break
            with suppress(OSError):
                parent.rmdir()
    _move_into(place.folder, place.old)
    shutil.rmtree(place.old)


def _move_into(folder: Path, source: Path) -> None:
    """Move the contents of ``source`` to ``folder``; on conflict, the file in ``folder`` wins."""
    for path in sorted(source.iterdir()):
        target = folder / path.name
        if not os.path.lexists(target):
            os.rename(path, target)
        elif _is_real_folder(path) and _is_real_folder(target):
            _move_into(target, path)


def _recover(place: _Place) -> None:
    """Finish or undo what an interrupted run left beside the folder.

    :raises Unrenderable: if a link would lead it to other folders. No interrupted run leaves one,
        but a cloned repository may hold anything.
    """
    _stop_for([finding for path in (place.new, place.old) for finding in _not_left(path)])
    ours = _known(place.old, force=True)
    _stop_for(list(_detours(place, ours)))
    if place.new.exists():
        shutil.rmtree(place.new)
    if not place.old.exists():
        return
    if place.folder.exists():
        _keep_others(place, ours)
    else:
        os.rename(place.old, place.folder)


def _not_left(sibling: Path) -> Iterator[Finding]:
    """A finding if ``sibling`` is a link or a file."""
    if os.path.lexists(sibling) and not _is_real_folder(sibling):
        message = f"{sibling} is not a folder that an interrupted render left"
        yield problems.IN_THE_WAY.at((), message, help="remove it")


def _detours(place: _Place, ours: Collection[str]) -> Iterator[Finding]:
    """Whatever is in the way of removing ``ours`` from the old folder, and of moving the rest."""
    left = [
        os.path.relpath(os.path.join(folder, name), place.old)
        for folder, _, names in os.walk(place.old)
        for name in names
    ]
    found = [_blocker(place.old, name) for name in sorted(ours)]
    found += [_blocker(place.folder, name) for name in sorted(left)]
    for path in dict.fromkeys(filter(None, found)):
        message = f"{path} is in the way of finishing an interrupted render"
        help = f"move what you need out of {place.old}, then remove it"
        yield problems.IN_THE_WAY.at((), message, help=help)


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


@contextmanager
def _locked(parent: Path) -> Iterator[None]:
    """Lock ``parent``, so that only one process at a time replaces folders in it."""
    handle = os.open(parent, os.O_RDONLY)
    try:
        # Some network file systems do not support locks; concurrent renders may then conflict.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _failure(place: _Place, error: Exception) -> Finding:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    kept = f"; its previous files are in {place.old}" if place.old.exists() else ""
    help = f"free disk space, or give yourself write permission, or {_ELSEWHERE}"
    return problems.NOT_WRITTEN.at((), f"cannot write {place.folder}: {reason}{kept}", help=help)


def _stop_for(findings: list[Finding]) -> None:
    if findings:
        raise Unrenderable(findings)
