"""What makes a command start and end fast, in one place.

Most of the time of a small check is spent on loading modules. Four measures stand where their
subject is:

- ``digests.py`` imports ``hashlib`` when something is hashed;
- ``spec/core_schema.py`` reads specs without pydantic's models;
- ``cdk/kernel.py`` loads ``aws_cdk``, for ``render --target eks`` in the background from the start;
- ``targets/eks/emit.py`` compiles its script templates while ``aws_cdk`` loads;
- modules import other large libraries (jinja2, jsonschema, boto3) in the functions that use them.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import os
import sys
from typing import NoReturn


def prepare() -> None:
    """Prepare the process; call it before modules of the package are loaded."""
    # Loading makes objects that stay: looking for garbage among them was a sixth of a small check.
    gc.set_threshold(100_000)
    # pydantic searches every installed package for plugins; clustergen uses none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Names may contain characters that the terminal's encoding lacks.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def import_in_background(*modules: str) -> None:
    """Import ``modules`` in a thread. An error shows again where the module is really needed."""
    import threading  # few commands need it

    threading.Thread(target=_import, args=(modules,), name="imports", daemon=True).start()


def _import(modules: tuple[str, ...]) -> None:
    with contextlib.suppress(Exception):
        for module in modules:
            importlib.import_module(module)


def leave(status: int) -> NoReturn:
    """End the process without freeing every object: that takes a while with large libraries."""
    sys.stdout.flush()
    sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(status)
