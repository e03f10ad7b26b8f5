"""Text to plain data with positions: the only part of clustergen that knows YAML.

``read`` takes the files and ``--set`` arguments of a command line, ``read_text`` one text. Both
answer with a :class:`Document` (``None`` when no data is left) and the findings,
each already placed in the text it is about.

What a plain (unquoted) word means is settled in :mod:`clustergen.source.scalars`: ``true``,
``false``, ``null`` and numbers in plain digits, nothing else.
"""

from __future__ import annotations

from clustergen.source.document import Document
from clustergen.source.merge import merge
from clustergen.source.reading import read, read_text
from clustergen.source.scalars import Float

__all__ = ["Document", "Float", "merge", "read", "read_text"]
