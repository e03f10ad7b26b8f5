"""Importing the files of rules: only source that was there, and as it was, when rules were loaded.

Python's own importer would run a compiled file in ``__pycache__`` in place of the source that the
user has read, and an extension or a package in place of a module with the same name.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader, all_suffixes
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from clustergen.base.digests import sha256

_PREFIX = "_clustergen_rules_"
_ENVIRONMENT = "pyvenv.cfg"


def digests(paths: Iterable[Path]) -> dict[Path, str]:
    """Of all code in and below ``paths``, or beside those that are files."""
    folders = {_real(path if path.is_dir() else path.parent) for path in paths if path.exists()}
    return {file: sha256(file.read_bytes()) for folder in folders for file in _code(folder)}


def installed(module: str) -> dict[Path, str]:
    """Of the code of the installed package that has ``module``, which this does not import."""
    try:
        spec = find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    folders = (spec and spec.submodule_search_locations) or ()
    if spec and spec.origin and not folders and Path(spec.origin).is_file():
        return {Path(spec.origin): sha256(Path(spec.origin).read_bytes())}
    return digests(map(Path, folders))


def _code(folder: Path) -> Iterator[Path]:
    """Files that Python could import as modules below a folder."""
    for root, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name.isidentifier() and name != "__pycache__"]
        if _ENVIRONMENT in names:
            inner.clear()
        else:
            yield from (Path(root, n) for n in names if n.endswith((*all_suffixes(),)))


def begin(known: Mapping[Path, str]) -> None:
    """Forget modules of an earlier load; from now on, import only files with a digest in it."""
    for name in [name for name in sys.modules if name.startswith(_PREFIX)]:
        del sys.modules[name]
    sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, _Finder)]
    sys.meta_path.insert(0, _Finder(known))


def imported(file: Path) -> ModuleType:
    """The module in ``file``, in a package of its folder, so that it can import its neighbours."""
    name = f"{_package(file.parent)}.{file.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = _finder().spec(name, file)
    if spec is None or spec.loader is None:
        raise ImportError("a file of rules is a Python file, NAME.py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _package(folder: Path) -> str:
    name = f"{_PREFIX}{zlib.crc32(str(_real(folder)).encode()):08x}"
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _finder() -> _Finder:
    return next(each for each in sys.meta_path if isinstance(each, _Finder))


class _Finder(MetaPathFinder):
    """It answers for all modules of rules, so that no other importer is asked."""

    def __init__(self, known: Mapping[Path, str]) -> None:
        self._known = known

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        name = fullname.rpartition(".")[2]
        for folder in map(Path, path or ()):
            for file in (folder / name / "__init__.py", folder / f"{name}.py"):
                if file.exists():
                    return self.spec(fullname, file)
            if (folder / name).is_dir():
                spec = ModuleSpec(fullname, None, is_package=True)
                spec.submodule_search_locations = [str(folder / name)]
                return spec
        raise ModuleNotFoundError(f"there is no file {name}.py beside the rules", name=fullname)

    def spec(self, fullname: str, file: Path) -> ModuleSpec | None:
        """:raises ImportError: for a file that was not there when the rules were loaded."""
        if file.suffix != ".py":
            return None
        digest = self._known.get(_real(file.parent) / file.name, "")
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, file, digest))


class _Loader(SourceFileLoader):
    """It compiles the source, and neither reads nor writes compiled files."""

    def __init__(self, fullname: str, file: Path, digest: str) -> None:
        super().__init__(fullname, str(file))
        self._digest = digest

    def get_code(self, _fullname: str) -> CodeType:
        source = Path(self.path).read_bytes()
        if sha256(source) != self._digest:
            raise ImportError(f"{os.path.relpath(self.path)} is new or changed; run again")
        return compile(source, self.path, "exec", dont_inherit=True)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
