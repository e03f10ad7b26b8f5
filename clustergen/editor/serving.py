"""Runs the server over standard input and output, with its log on standard error."""

import logging
import os
import sys
import traceback

from clustergen.editor import requests
from clustergen.editor.server import Server


class _Formatter(logging.Formatter):
    """Messages, and types and places of errors: values are texts of the user, maybe secrets."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        places = traceback.format_tb(error.__traceback__) if error else []
        ours = record.name.startswith(__package__ or "")
        message = record.getMessage() if ours else str(record.msg)
        return "".join([f"{message}\n", *places, type(error).__name__ if error else ""]).rstrip()


def serve(*, custom_rules: bool = False) -> int:
    """Talk to a client over standard input and output until it leaves; returns the exit status."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    server = Server(custom_rules=custom_rules)
    requests.register(server)
    # What a library prints must not get between the messages.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server.start_io(sys.stdin.buffer, out)
    return server.status
