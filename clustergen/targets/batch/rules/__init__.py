"""Rules for AWS Batch."""

from __future__ import annotations

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="batch")
"""Declares a rule of AWS Batch."""
