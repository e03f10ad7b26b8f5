"""The CDK app: `npx cdk deploy --all -c spec=specs/x.yaml -c target=pcs`; README.md says more."""

from __future__ import annotations

import sys

from stacks.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
