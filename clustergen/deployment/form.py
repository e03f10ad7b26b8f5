"""The form of the parts of ``bundle.json``."""

from collections.abc import Mapping
from typing import Any, ClassVar


class Read:
    """How the file is read: an unknown member is an error, as it could be one that matters."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {
        "extra": "forbid",
        "use_attribute_docstrings": True,
    }
