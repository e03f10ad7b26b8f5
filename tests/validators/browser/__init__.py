"""Chromium, which opens pages as readers do, and axe, which finds obstacles for some of them."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.support import control
from tests.support.scripts import completed
from tests.validators import npm

_FOLDER = Path(__file__).parent
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def missing() -> str:
    """Why this machine cannot open pages; empty if it can."""
    if not any(map(shutil.which, _NAMES)):
        return f"none of {', '.join(_NAMES)} is installed"
    return "" if shutil.which("npm") else "npm is not installed"


@dataclass(frozen=True)
class Visit:
    """How to open a page."""

    page: str
    width: int = 1280
    dark: bool = False
    print: bool = False
    """As it is printed."""
    keys: bool = False
    """Walk through it with the Tab key first."""
    picture: str = ""
    """A file for a screenshot of the whole page."""


def visit(visits: Sequence[Visit]) -> list[dict[str, Any]]:
    """What a reader meets on each visit; `visit.mjs` has the keys."""
    control.need(_failure)
    executable = _executable()
    done = completed(
        *("node", str(_FOLDER / "visit.mjs"), str(npm.installed(_FOLDER)), executable),
        json.dumps([asdict(each) for each in visits]),
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def _executable() -> str:
    return next(filter(None, map(shutil.which, _NAMES)))


def _failure() -> str:
    """Why Chromium does not open an empty page."""
    return control.failure(_executable(), "--headless", "--no-sandbox", "--dump-dom", "about:blank")
