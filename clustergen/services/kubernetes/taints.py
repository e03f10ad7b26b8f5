"""Taints that Kubernetes accepts."""

import re
from collections.abc import Iterator, Mapping, Sequence

from clustergen.base.findings import Problem
from clustergen.base.patterns import pattern
from clustergen.plan.model import NodeGroup

# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
# and botocore 1.44.5: ClusterKubernetesTaintKey and ClusterKubernetesTaintValue of sagemaker, which
# are the same; 2026-11-20.
MAX_NAME = 63
"""Maximum characters of a key without its prefix, and of a value."""

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
KEY = pattern(
    rf"(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*/)?{_NAME}"
)
FORMS: Mapping[str, re.Pattern[str]] = {"key": KEY, "value": re.compile(rf"(?:{_NAME})?")}


def prefix_of(key: str, prefixes: Sequence[str]) -> str | None:
    """The first of ``prefixes`` that is the prefix of ``key``, or its parent domain."""
    prefix, slash, _ = key.rpartition("/")
    own = f"{prefix}{slash}"
    return next((p for p in prefixes if own == p or own.endswith(f".{p}")), None)


def find_problems(group: NodeGroup, most: int | None = None) -> Iterator[Problem]:
    """Problems of a group's taints; ``most`` limits the characters of a key."""
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(group.taints):
        if (taint.key, taint.effect) in seen:
            yield Problem(
                group.at("taints", index),
                f"{taint.key} with the effect {taint.effect} is listed twice",
                help="remove one of them",
            )
        seen.add((taint.key, taint.effect))
        for field, form in FORMS.items():
            text: str = getattr(taint, field)
            if not form.fullmatch(text) or (most is not None and len(text) > most):
                yield Problem(
                    group.at("taints", index, field),
                    f"{text!r} is not a valid {field} for a taint",
                    help=f"letters, digits, - _ . and at most {MAX_NAME} of them",
                )
