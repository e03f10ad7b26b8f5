"""The IAM policy that the checks need, from the calls that their rules declare."""

from __future__ import annotations

from collections.abc import Iterable

from clustergen import account, discovery
from clustergen.artifacts import Json
from clustergen.aws.iam import allow, document
from clustergen.findings import Rule
from clustergen.preflight.case import IDENTITY


def policy(rules: Iterable[Rule] | None = None) -> Json:
    """The policy for the checks of ``rules``, or of all.

    Every action only reads metadata: none returns a secret, an object or a log.
    """
    wanted = discovery.rules("clustergen.preflight.rules") if rules is None else rules
    calls = {IDENTITY, *(call for rule in wanted for call in rule.calls)}
    return document([allow("Preflight", sorted({*map(account.action, calls)}), ["*"])])
