"""Rules for AWS Batch."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="batch")
warning = functools.partial(findings.warning, target="batch")
note = functools.partial(findings.note, target="batch")
