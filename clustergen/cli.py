"""The command line: imports and runs the requested command."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from clustergen import startup
from clustergen.commands.arguments import parser
from clustergen.commands.exit_status import INTERRUPTED, OK


def program() -> NoReturn:
    """Run the command line and end the process."""
    startup.leave(main())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    args = parser().parse_args(arguments)
    startup.prepare()
    try:
        # `import` is a keyword, so no module is called that.
        name = "importing" if args.command == "import" else args.command
        run = importlib.import_module(f"clustergen.commands.{name}").run
        status: int = run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe. Python would report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")  # there may be a progress line
        return INTERRUPTED
    return status


if __name__ == "__main__":
    sys.exit(main())
