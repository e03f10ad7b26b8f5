"""Rules for AWS Batch."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="batch")
"""Declares a rule of AWS Batch."""
