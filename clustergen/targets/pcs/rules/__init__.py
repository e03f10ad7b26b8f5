"""Rules for PCS."""

from __future__ import annotations

import functools

from clustergen import findings

rule = functools.partial(findings.rule, target="pcs")
"""Declares a rule of PCS."""
