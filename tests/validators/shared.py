"""What one process of a test run worked out, for the others.

A run has several processes, and many bundles hold the same files. An answer is found by the whole
input of the question, so it holds for as long as the code stays as it is: the folder is a run's.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

FOLDER = "CLUSTERGEN_TESTS_SHARED"
"""The variable that names the folder of the run to all its processes."""


def begin() -> bool:
    """Make the folder of a run; False if this process is part of a run that has one."""
    if FOLDER in os.environ:
        return False
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="clustergen-tests-")
    return True


def end() -> None:
    """Remove the folder of a run."""
    shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


def answer(question: Callable[..., Any], *words: str) -> Any:
    """`question(*words)`, as JSON has it, asked once in a run."""
    found = known(question, *words)
    if found is None:
        found = question(*words)
        keep(found, question, *words)
    return found


def known(question: Callable[..., Any], *words: str) -> Any:
    """What a process of the run answered; None if none has."""
    file = _file(question, words)
    return json.loads(file.read_text(encoding="utf-8")) if file and file.exists() else None


def keep(found: Any, question: Callable[..., Any], *words: str) -> None:
    """Let the other processes know an answer."""
    if file := _file(question, words):
        # Two processes may write the same at the same time.
        new = file.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(found), encoding="utf-8")
        new.replace(file)


def _file(question: Callable[..., Any], words: Sequence[str]) -> Path | None:
    folder = os.environ.get(FOLDER)
    if not folder:
        return None
    asked = json.dumps([question.__module__, question.__qualname__, *words])
    return Path(folder, hashlib.sha256(asked.encode()).hexdigest())
