"""Schemas of the documents that targets emit, made from the services' own tools by ``build.py``.

They are asked only about documents that an overlay has changed: what clustergen emits by itself is
verified by its tests.
"""

from __future__ import annotations

from clustergen.schemas.schema import Schema, Violation

__all__ = ["Schema", "Violation"]
