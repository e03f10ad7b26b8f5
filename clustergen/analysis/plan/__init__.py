"""A spec with all its defaults written out, for one target.

It is a spec in the same language: checked again, it yields the same plan. A default that has no
effect on the target is left out, because a spec that has it would get a finding.
"""

from clustergen.analysis.plan.json import as_json
from clustergen.analysis.plan.model import Default, ExpandedSpec
from clustergen.analysis.plan.text import as_text
from clustergen.analysis.plan.writing import expand
from clustergen.analysis.plan.yaml import as_yaml

__all__ = ["Default", "ExpandedSpec", "as_json", "as_text", "as_yaml", "expand"]
