"""A spec with all its defaults written out, for one target.

It is a spec in the same language: checked again, it yields the same plan. A default that has no
effect on the target is left out, because a spec that has it would get a finding.
"""

from __future__ import annotations

from clustergen.expansion.json import as_json
from clustergen.expansion.model import Default, Expansion
from clustergen.expansion.text import as_text
from clustergen.expansion.writing import expand
from clustergen.expansion.yaml import as_yaml

__all__ = ["Default", "Expansion", "as_json", "as_text", "as_yaml", "expand"]
