"""The start of the CDK: its library, and the Node.js process that does its work.

Both take long, and few commands need them: only :func:`load` imports ``aws_cdk``.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import sys
from collections.abc import Iterator

from clustergen import startup
from clustergen.cdk.rules.kernel import NO_EXTRA, NO_KERNEL
from clustergen.findings import Unrenderable

NODE = "Node.js 20 or later"

# Versions of Node.js that jsii warns of in twelve lines on stderr, though they do.
# https://github.com/aws/jsii/blob/main/packages/@jsii/check-node/README.md
_SILENT = {"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20,21,22,23,24,25"}


def load() -> None:
    """Import ``aws_cdk``, and start its process.

    :raises Unrenderable: with BND015 where the one is not installed or the other does not start.
    """
    _silence()
    if shutil.which(_node()) is None:
        raise Unrenderable([NO_KERNEL.at((), f"cannot find the program {_node()}", help=_OTHER)])
    try:
        # What jsii checks every call with, and imports at the first one; now the process starts.
        importlib.import_module("typeguard")
        importlib.import_module("aws_cdk")
    except ImportError as error:
        finding = NO_KERNEL.at((), f"the CDK cannot be loaded: {error}", help=_INSTALL)
        raise Unrenderable([finding]) from error
    except Exception as error:  # whatever a broken Node.js answers, to the user it is the same
        sys.unraisablehook = _without_jsii
        message = f"{_node()} does not run the CDK: {_first_line(error)}"
        raise Unrenderable([NO_KERNEL.at((), message, help=_OTHER)]) from error


@contextlib.contextmanager
def installed(name: str) -> Iterator[None]:
    """Import what only an extra of ours installs.

    :raises Unrenderable: with BND016 where it is not.
    """
    try:
        yield
    except ImportError as error:
        help = f"install it: pip install 'clustergen[{name}]'"
        finding = NO_EXTRA.at((), f"{error.name} is not installed", help=help)
        raise Unrenderable([finding]) from error


def begin() -> None:
    """Start loading in the background."""
    _silence()
    if shutil.which(_node()):
        # Until its process has started, other work at the same time gains nothing.
        importlib.import_module("jsii")
        startup.import_in_background(*_PARTS)


# The largest parts of the library that stacks here need, in the order that they need them.
_PARTS = ("aws_cdk.aws_iam", "aws_cdk.aws_kms", "aws_cdk.aws_logs", "aws_cdk.aws_eks")


def _silence() -> None:
    for name, value in _SILENT.items():
        os.environ.setdefault(name, value)


def _node() -> str:
    return os.environ.get("JSII_NODE", "node")


def _without_jsii(unraisable: sys.UnraisableHookArgs) -> None:
    """At the end, jsii says good-bye to a process that is gone, and fails in that as well."""
    if "jsii" not in repr(unraisable.object):
        sys.__unraisablehook__(unraisable)


_INSTALL = "install clustergen again, with its dependencies"
_OTHER = f"install {NODE}, or set JSII_NODE to the path of one"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
