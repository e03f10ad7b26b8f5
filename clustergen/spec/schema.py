"""The JSON Schema of the language, for editors.

``json_schema.json`` has it without the names of instance types. ``python -m tools.spec.build``
writes that file from the models, so that it does not depend on the version of pydantic. Reading it
is also several times as fast.
"""

import json
from pathlib import Path
from typing import Any

from clustergen.facts.catalog import names

FILE = "clustergen.schema.json"
"""The file that ``clustergen init`` writes beside a spec."""
STORED = Path(__file__).with_name("json_schema.json")
INSTANCE_TYPE = "InstanceType"
"""The section that lists the names of the catalog, once for all fields."""


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a spec."""
    made: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    made["$defs"][INSTANCE_TYPE] = {
        "description": "An EC2 instance type; `clustergen catalog` has the facts of each.",
        "enum": [*names()],
        "type": "string",
    }
    return made
