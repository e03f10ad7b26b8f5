"""What the builders of schemas share: the form, and the versions of the services' tools."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Any

Json = dict[str, Any]


DIALECT = "https://json-schema.org/draft/2020-12/schema"


PARALLELCLUSTER = "3.16.1"


CFN_LINT = "1.58.0"


BOTOCORE = "1.44.5"


def installed(package: str, wanted: str) -> str:
    found = importlib.metadata.version(package)
    if found != wanted:
        raise SystemExit(f"{package} {found} is installed, the schemas are made from {wanted}")
    return f"{package} {found}"
