"""A cache of compiled templates in the package's `__pycache__`, like that of Python modules.

A bundle uses dozens of templates, and compiling them takes longer than rendering them.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha1
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

import clustergen


class CompiledTemplates(BytecodeCache):
    """Jinja's compiled templates, valid for their text, this Jinja version and ``makers``.

    ``makers`` are the modules whose code determines the result of compiling a template. Nothing is
    written if Python must not or cannot write bytecode.
    """

    def __init__(self, makers: Sequence[str]) -> None:
        self._folder = Path(importlib.util.cache_from_source(str(clustergen.__file__))).parent
        made = b"".join(Path(name).read_bytes() for name in makers)
        self._made_by = f"{jinja2.__file__} {os.stat(jinja2.__file__).st_mtime_ns} ".encode() + made

    def get_source_checksum(self, source: str) -> str:
        return sha1(self._made_by + source.encode(), usedforsecurity=False).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError), self._path(bucket).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        # Write atomically, because other processes may read it.
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                bucket.write_bytecode(file)
            os.replace(file.name, self._path(bucket))

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.jinja"
