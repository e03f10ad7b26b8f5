"""How many examples a property test runs: all of them in CI, a share of them elsewhere."""

from __future__ import annotations

from hypothesis import settings


def share(full: int) -> int:
    """As many of `full` examples as the profile runs of hypothesis's usual hundred."""
    return max(1, full * settings().max_examples // 100)
