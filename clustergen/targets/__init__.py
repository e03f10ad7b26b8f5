"""The targets: their interface, and loading them.

A target is a subpackage with the files ``__init__`` (its ``TARGET``), ``options.py``,
``limits.py``, ``support.json``, ``rules/`` and ``emit.py``. ``tests/targets/test_contract.py``
checks that it is complete.
"""

import functools
import importlib

from clustergen.base.text_lists import words
from clustergen.targets.target import Target as Target

_MODULES = {
    name: f"clustergen.targets.{name.replace('-', '_')}"
    for name in words("parallelcluster pcs hyperpod-slurm hyperpod-eks eks batch")
}
_ALIASES = {"aws-batch": "batch", "hyperpod": "hyperpod-slurm", "pcluster": "parallelcluster"}

NAMES = tuple(_MODULES)


def package(name: str) -> str:
    return _MODULES[name]


def register(name: str, module: str) -> None:
    """Make ``module`` the package of the target called ``name``, for the rest of the process."""
    global NAMES  # noqa: PLW0603 all readers look it up here
    _MODULES[name] = module
    NAMES = tuple(_MODULES)


def resolve(name: str) -> str | None:
    """The canonical name for a target's name or alias; None if there is no such target."""
    canonical = _ALIASES.get(name, name)
    return canonical if canonical in _MODULES else None


def supporting(feature: str) -> tuple[str, ...]:
    """The names of the targets that support a feature. Loads all targets."""
    answers = ((name, load(name).support[feature]) for name in NAMES)
    return tuple(name for name, answer in answers if answer.level != "none" and not answer.ignored)


@functools.cache
def load(name: str) -> Target:
    """The target ``name``, whose package is imported on first use."""
    target: Target = importlib.import_module(package(name)).TARGET
    return target
