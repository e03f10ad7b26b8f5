"""The CDK app: `npx cdk deploy --all -c spec=specs/x.yaml -c target=pcs`; README.md says more."""

from __future__ import annotations

import sys

from clustergen import report
from clustergen.cdk import kernel
from clustergen.findings import Unrenderable


def main() -> int:
    """Run the app; returns the exit status."""
    try:
        kernel.load()
    except Unrenderable as error:
        sys.stderr.write(report.render("text", error.findings, {}))
        return 1
    # With the CDK, which is there by now.
    import stacks
    from clustergen.cdk import app

    return app.main(stacks.build)


if __name__ == "__main__":
    sys.exit(main())
