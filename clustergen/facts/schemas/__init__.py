"""Schemas of the documents that targets emit, made from the services' own tools by ``build.py``.

Their validator is used only for documents that an overlay has changed; the tests verify what
clustergen emits without one. The sizes that services accept are compared for every document.
"""

from clustergen.facts.schemas.schema import Schema, Violation

__all__ = ["Schema", "Violation"]
