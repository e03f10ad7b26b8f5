"""A cache of compiled templates in the package's `__pycache__`, like that of Python modules.

A bundle uses dozens of templates, and compiling them takes longer than rendering them.
"""

import importlib.util
import os
import sys
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket, FileSystemBytecodeCache

from clustergen.base.resources import tree


def environment(maker: str, **options: Any) -> jinja2.Environment:
    """An environment of the package's templates; ``maker`` is the module that calls this.

    Without ``autoescape``, what they make is not HTML.
    """
    return jinja2.Environment(  # noqa: S701
        loader=jinja2.FileSystemLoader(tree("templates"), encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        cache_size=-1,  # all of them, without a list of what was used last
        bytecode_cache=CompiledTemplates(maker),
        **options,
    )


class CompiledTemplates(FileSystemBytecodeCache):
    """Jinja's compiled templates, valid for their text, this Jinja version and their ``maker``.

    That is the module whose code determines the result of compiling a template. Nothing is written
    if Python must not or cannot write bytecode.
    """

    def __init__(self, maker: str) -> None:
        super().__init__(str(Path(importlib.util.cache_from_source(__file__)).parent), "%s.jinja")
        version = f"{jinja2.__file__} {os.stat(jinja2.__file__).st_mtime_ns} "
        self._made_by = version.encode() + Path(maker).read_bytes()

    def get_source_checksum(self, source: str) -> str:
        return sha1(self._made_by + source.encode(), usedforsecurity=False).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                Path(self.directory).mkdir(parents=True, exist_ok=True)
                super().dump_bytecode(bucket)
