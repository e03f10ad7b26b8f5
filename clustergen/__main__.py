"""``python -m clustergen``."""

from __future__ import annotations

import sys

from clustergen.cli import main

sys.exit(main())
