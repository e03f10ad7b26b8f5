"""Schemas of the documents that targets emit, made from the services' own tools by ``build.py``.

They are used only for documents that an overlay has changed; the tests verify what clustergen emits
without one.
"""

from __future__ import annotations

from clustergen.schemas.schema import Schema, Violation

__all__ = ["Schema", "Violation"]
