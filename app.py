"""The CDK app: `npx cdk deploy --all -c spec=specs/x.yaml -c target=pcs`; README.md says more."""

from __future__ import annotations

import sys

import stacks
from clustergen.cdk import app

if __name__ == "__main__":
    sys.exit(app.main(stacks.build))
