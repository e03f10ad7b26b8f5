"""Specs and bundles for the tests of PCS, made from the parts of a spec that matter to them."""

from __future__ import annotations

import functools
import json
from typing import Any

from clustergen.targets.pcs import TARGET
from tests.checking import Fragments

PCS = Fragments("pcs")
validated, found, plan_of, files_of = PCS.checked, PCS.findings, PCS.plan, PCS.files


@functools.cache
def template_of(text: str = "") -> dict[str, Any]:
    """The cluster template of `text`, as it is read back from its JSON."""
    document: dict[str, Any] = json.loads(json.dumps(TARGET.document(plan_of(text))))
    return document


def properties_of(text: str, logical_id: str) -> dict[str, Any]:
    """The properties of one resource."""
    found: dict[str, Any] = template_of(text)["Resources"][logical_id]["Properties"]
    return found
