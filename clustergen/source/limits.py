"""Limits for the text of a spec."""

from __future__ import annotations

from typing import Final

SIZE: Final = 1024 * 1024
"""Bytes of one file. A spec has a few kilobytes; a larger file is not a spec."""
DEPTH: Final = 60
"""Levels of nesting. The language has about ten; an overlay of CloudFormation adds about twenty."""
NODES: Final = 50_000
"""Values in one text, aliases expanded: over a thousand node groups."""
