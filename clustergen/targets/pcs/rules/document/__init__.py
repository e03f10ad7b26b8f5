"""Rules about the template, for what its schema cannot express.

They run on a document that an overlay has changed. One without an overlay satisfies them; the
tests prove it.
"""

from __future__ import annotations

import functools

from clustergen import findings

rule = functools.partial(findings.rule, target="pcs")
"""Declares a rule of PCS; the check gets the document."""
