"""Limits for the text of a spec."""

from typing import Final

SIZE: Final = 1024 * 1024
"""Maximum bytes of a file. A spec has a few kilobytes."""
DEPTH: Final = 60
"""Maximum nesting. The language has about ten levels; a CloudFormation overlay adds twenty."""
NODES: Final = 50_000
"""Maximum values in one text, with expanded aliases: over a thousand node groups."""
