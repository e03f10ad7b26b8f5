"""Start-up and exit of commands.

A small check spends most of its time loading modules. Other measures are in their own modules:

- ``digests.py`` imports ``hashlib`` when something is hashed;
- ``spec/core_schema.py`` reads specs without pydantic's models;
- modules import other large libraries (jinja2, jsonschema, boto3) in the functions that use them.
"""

import atexit
import contextlib
import gc
import io
import os
import sys
from pathlib import Path
from typing import NoReturn


def prepare() -> None:
    """Prepare the process; call this before loading modules of the package."""
    # Objects of modules stay: collecting garbage among them took a sixth of a small check.
    gc.set_threshold(100_000)
    # pydantic searches every installed package for plugins; clustergen uses none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # A stream that the caller has closed is None.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    # Names may contain characters that the terminal's encoding lacks.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def leave(status: int) -> NoReturn:
    """End the process without freeing every object, which is slow with large libraries."""
    sys.stdout.flush()
    with contextlib.suppress(OSError):  # it is full
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(status)
