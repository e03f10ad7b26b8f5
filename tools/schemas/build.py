"""Build the schemas of ``clustergen/facts/schemas/`` from the services' own tools.

``parallelcluster-3.16.1.json`` and ``parallelcluster-updates-3.16.1.json`` (what an update does
with each key) come from the marshmallow classes of aws-parallelcluster,
``batch.json``, ``pcs.json``, ``eks.json`` and ``replacements.json`` (properties that need
another resource) from the CloudFormation schemas in cfn-lint, and for FSx from botocore's model,
``hyperpod.json`` from botocore's model of SageMaker's CreateCluster. ParallelCluster cannot be
installed with the others, so each run builds what it finds; it needs no other package::

    python -m tools.schemas.build [--check]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.schemas.cloudformation import batch, eks, pcs
from tools.schemas.hyperpod import hyperpod
from tools.schemas.parallelcluster import (
    parallelcluster,
    parallelcluster_updates,
)
from tools.schemas.replacements import cloudformation_updates
from tools.schemas.shared import PARALLELCLUSTER, Json

FOLDER = Path(__file__).parents[2] / "clustergen/facts/schemas"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the schemas whose sources are installed, or with ``--check`` compare them."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas.build")
    parser.add_argument("--check", action="store_true", help="only say whether they are current")
    check = parser.parse_args(argv).check
    found = [(name, build) for name, module, build in _BUILDS if importlib.util.find_spec(module)]
    if not found:
        print("neither aws-parallelcluster nor cfn-lint is installed", file=sys.stderr)
        return 2
    stale = [name for name, build in found if not _put(FOLDER / name, _text(build()), check)]
    for name in stale:
        print(f"{name} is not what would be built: run python -m tools.schemas.build")
    return 1 if stale else 0


def _put(path: Path, text: str, check: bool) -> bool:
    if check:
        return path.exists() and path.read_text(encoding="utf-8") == text
    path.write_text(text, encoding="utf-8")
    return True


def _text(schema: Json) -> str:
    """One line per key and definition: short, and a change is a one-line difference."""
    definitions = _lines(dict(sorted(schema["$defs"].items())))
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    return "{\n" + _lines(rest) + ',\n"$defs": {\n' + definitions + "\n}}\n"


def _lines(items: Mapping[str, Any]) -> str:
    return ",\n".join(
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in items.items()
    )


_BUILDS: tuple[tuple[str, str, Callable[[], Json]], ...] = (
    (f"parallelcluster-{PARALLELCLUSTER}.json", "pcluster", parallelcluster),
    (f"parallelcluster-updates-{PARALLELCLUSTER}.json", "pcluster", parallelcluster_updates),
    ("pcs.json", "cfnlint", pcs),
    ("batch.json", "cfnlint", batch),
    ("eks.json", "cfnlint", eks),
    # Beside cfn-lint: ParallelCluster brings a botocore of another version.
    ("hyperpod.json", "cfnlint", hyperpod),
    ("replacements.json", "cfnlint", cloudformation_updates),
)


if __name__ == "__main__":
    sys.exit(main())
