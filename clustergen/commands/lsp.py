"""``clustergen lsp``."""

import argparse

from clustergen.commands import inputs


def run(args: argparse.Namespace) -> int:
    try:
        from clustergen.editor import serving
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("clustergen"):
            raise
        return inputs.print_error("the language server needs pygls: pip install 'pygls>=2,<3'")
    return serving.serve(custom_rules=args.custom_rules)
