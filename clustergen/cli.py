"""The command line: imports and runs the requested command."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from clustergen.commands import startup
from clustergen.commands.arguments import parsed
from clustergen.commands.exit_status import FAILED, INTERRUPTED, OK, UsageError


def program() -> NoReturn:
    """Run the command line and end the process."""
    startup.leave(main())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    args = parsed(sys.argv[1:] if arguments is None else arguments)
    startup.prepare()
    status: int = OK
    try:
        # `import` is a keyword, so no module is called that.
        name = "importing" if args.command == "import" else args.command
        run = importlib.import_module(f"clustergen.commands.{name}").run
        status = run(args)
        sys.stdout.flush()
    except UsageError as error:
        from clustergen.commands import inputs

        return inputs.refuse(error, args)
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe.
        return _quiet(status)
    except OSError as error:
        if error.filename is not None:
            raise
        gone = isinstance(error, FileNotFoundError)
        what = "the working folder was deleted" if gone else f"cannot write: {error.strerror}"
        with contextlib.suppress(OSError):
            sys.stderr.write(f"clustergen: {what}\n")
        return _quiet(FAILED)
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")  # there may be a progress line
        return INTERRUPTED
    return status


def _quiet(status: int) -> int:
    """Write nothing more on standard output: Python would report the error again at exit."""
    with contextlib.suppress(OSError, ValueError):  # a stream in memory
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


if __name__ == "__main__":
    sys.exit(main())
