"""What ``cdk --app`` runs: ``python app.py``, or ``python -m clustergen.stacks`` from a wheel."""

import sys

from clustergen import output
from clustergen.base.findings import Unrenderable
from clustergen.commands.app import kernel


def main() -> int:
    """Start the CDK and run the app; returns the exit status."""
    try:
        kernel.load()
    except Unrenderable as error:
        sys.stderr.write(output.render("text", error.findings, {}))
        return 1
    from . import app  # imports aws_cdk, which kernel.load has started

    return app.main()


if __name__ == "__main__":
    sys.exit(main())
