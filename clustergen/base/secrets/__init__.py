"""Secrets that users write into files by mistake: one detector for all that clustergen reads.

A finding quotes the invalid value and shows its source line, CI logs contain its text, and specs
are committed. So values beside the name of a secret, and what looks like a key or a token, are
masked in source lines (:func:`hidden`) and findings (:func:`masked`), and found in data
(:func:`found`).
"""

from clustergen.base.secrets.data import STAND_IN, Secret, decoded, found, replaced, stand_in
from clustergen.base.secrets.findings import masked, without
from clustergen.base.secrets.texts import hidden, may_hold

__all__ = [
    "STAND_IN",
    "Secret",
    "decoded",
    "found",
    "hidden",
    "masked",
    "may_hold",
    "replaced",
    "stand_in",
    "without",
]
