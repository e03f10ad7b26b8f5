"""The start of the CDK: its library, and the Node.js process that does its work.

Only the CDK app needs them: no command of clustergen loads them.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator

from clustergen.base.findings import Unrenderable
from clustergen.commands.app.rules.kernel import NO_EXTRA, NO_KERNEL

NODE = "Node.js 20 or later"

# Versions of Node.js that jsii warns of in twelve lines on stderr, though they do.
# https://github.com/aws/jsii/blob/main/packages/@jsii/check-node/README.md
_SILENT = {"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20,21,22,23,24,25"}


def load() -> None:
    """Import ``aws_cdk``, and start its process.

    :raises Unrenderable: with BND016 if the CDK is not installed, with BND015 if it does not start.
    """
    found = importlib.util.find_spec("aws_cdk")
    if found is None or found.origin is None:  # a namespace of version 1: aws-parallelcluster's
        raise _without("cdk", "the AWS CDK, version 2,")
    for name, value in _SILENT.items():
        os.environ.setdefault(name, value)
    if shutil.which(_node()) is None:
        raise Unrenderable([NO_KERNEL.at((), f"cannot find the program {_node()}", help=_OTHER)])
    try:
        # jsii imports this on the first call, to check calls; import it while the process starts.
        importlib.import_module("typeguard")
        importlib.import_module("aws_cdk")
    except Exception as error:  # all failures of Node.js are the same to the user
        sys.unraisablehook = _without_jsii
        first, *_ = str(error).splitlines() or [type(error).__name__]
        message = f"{_node()} does not run the CDK: {first}"
        raise Unrenderable([NO_KERNEL.at((), message, help=_OTHER)]) from error


@contextlib.contextmanager
def installed(name: str) -> Iterator[None]:
    """Import packages that only the extra ``name`` of clustergen installs.

    :raises Unrenderable: with BND016 if one is missing.
    """
    try:
        yield
    except ImportError as error:
        raise _without(name, str(error.name)) from error


def _without(extra: str, missing: str) -> Unrenderable:
    help = f"in a checkout of clustergen: pip install '.[{extra}]'"
    return Unrenderable([NO_EXTRA.at((), f"{missing} is not installed", help=help)])


def _node() -> str:
    return os.environ.get("JSII_NODE", "node")


def _without_jsii(unraisable: sys.UnraisableHookArgs) -> None:
    """Ignore errors of jsii at exit, when its process has already ended."""
    if "jsii" not in repr(unraisable.object):
        sys.__unraisablehook__(unraisable)


_OTHER = f"install {NODE}, or set JSII_NODE to the path of one"
