"""User data in templates that an overlay changed."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.findings import Problem
from clustergen.overlay.parts import as_map

NOT_MIME = "user data that is not MIME multi-part, so {} cannot merge its own"
BEGIN = "begin it with MIME-Version: 1.0 and Content-Type: multipart/mixed"


def decoded(value: Any) -> str | None:
    """The text before base64, with unresolved references; None if it is unknown."""
    inner = as_map(value).get("Fn::Base64")
    sub = as_map(inner).get("Fn::Sub")
    for given in (inner, sub, sub[0] if isinstance(sub, list) and sub else None):
        if isinstance(given, str):
            return given
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return value


def is_mime(text: str) -> bool:
    return re.match(r"(MIME-Version|Content-Type):", text) is not None


def not_mime(document: Mapping[str, Any], service: str, nodes: str) -> Iterator[Problem]:
    """Launch templates whose user data ``service`` cannot merge with its own.

    They are those that resources of the type ``nodes`` name.
    """
    resources = as_map(document.get("Resources"))
    named = json.dumps([r for r in map(as_map, resources.values()) if r.get("Type") == nodes])
    for id, resource in resources.items():
        data = as_map(as_map(as_map(resource).get("Properties")).get("LaunchTemplateData"))
        text = decoded(data.get("UserData"))
        if f'"{id}"' in named and text is not None and not is_mime(text):
            path = ("Resources", id, "Properties", "LaunchTemplateData", "UserData")
            yield Problem(path, NOT_MIME.format(service), BEGIN)
