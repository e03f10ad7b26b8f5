"""Starting the CDK: its library, and the Node.js process behind it.

Both are slow, and few commands need them: only :func:`load` imports ``aws_cdk``.
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

# Versions of Node.js that work, but for which jsii prints a warning of twelve lines.
# https://github.com/aws/jsii/blob/main/packages/@jsii/check-node/README.md
_SILENT = {"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20,21,22,23,24,25"}


def load() -> None:
    """Import ``aws_cdk``, and start its process.

    :raises Unrenderable: with BND015, if the library is not installed or Node.js does not start.
    """
    _silence()
    if shutil.which(_node()) is None:
        raise Unrenderable([NO_KERNEL.at((), f"cannot find the program {_node()}", help=_OTHER)])
    try:
        # jsii imports this on the first call, to check calls; import it while the process starts.
        importlib.import_module("typeguard")
        importlib.import_module("aws_cdk")
    except ImportError as error:
        finding = NO_KERNEL.at((), f"the CDK cannot be loaded: {error}", help=_INSTALL)
        raise Unrenderable([finding]) from error
    except Exception as error:  # all failures of Node.js are the same to the user
        sys.unraisablehook = _without_jsii
        message = f"{_node()} does not run the CDK: {_first_line(error)}"
        raise Unrenderable([NO_KERNEL.at((), message, help=_OTHER)]) from error


@contextlib.contextmanager
def installed(name: str) -> Iterator[None]:
    """Import a library that only an optional extra installs.

    :raises Unrenderable: with BND016, if it is not installed.
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
        # Until its process has started, other work in parallel gains nothing.
        importlib.import_module("jsii")
        startup.import_in_background(*_PARTS)


# The largest parts of the library that our stacks need, in order of use.
_PARTS = ("aws_cdk.aws_iam", "aws_cdk.aws_kms", "aws_cdk.aws_logs", "aws_cdk.aws_eks")


def _silence() -> None:
    for name, value in _SILENT.items():
        os.environ.setdefault(name, value)


def _node() -> str:
    return os.environ.get("JSII_NODE", "node")


def _without_jsii(unraisable: sys.UnraisableHookArgs) -> None:
    """Ignore errors of jsii at exit, when its process has already ended."""
    if "jsii" not in repr(unraisable.object):
        sys.__unraisablehook__(unraisable)


_INSTALL = "install clustergen again, with its dependencies"
_OTHER = f"install {NODE}, or set JSII_NODE to the path of one"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
