"""``clustergen lsp``."""

from __future__ import annotations

import argparse

from clustergen.commands import inputs


def run(args: argparse.Namespace) -> int:
    try:
        from clustergen.language_server import server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("clustergen"):
            raise
        return inputs.print_error(
            "the language server is not installed: pip install 'clustergen[lsp]'"
        )
    return server.serve(custom_rules=args.custom_rules)
