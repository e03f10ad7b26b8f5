"""From text to plain data with positions: the only part of clustergen that parses YAML.

``read`` accepts the files and ``--set`` arguments of a command line, ``read_text`` one text. Both
return a :class:`Document` (``None`` without data) and the findings with their positions.

:mod:`clustergen.spec.source.scalars` defines the meaning of plain (unquoted) words: only ``true``,
``false``, ``null`` and numbers in plain digits are special.
"""

from clustergen.spec.source.document import Document
from clustergen.spec.source.merge import merge
from clustergen.spec.source.reading import STDIN, content_of, name_of, read, read_text
from clustergen.spec.source.scalars import Float

__all__ = ["STDIN", "Document", "Float", "content_of", "merge", "name_of", "read", "read_text"]
