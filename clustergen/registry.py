"""Every rule there is, by code. Imports all parts that have rules: for ``explain`` and SARIF."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from clustergen import discovery, targets
from clustergen.findings import Rule


def every() -> Iterator[Rule]:
    """All rules, each once."""
    yield from dict.fromkeys(_every())


def _every() -> Iterator[Rule]:
    # Bridge: rules in modules that are not discovered yet are listed by their targets.
    for name in targets.NAMES:
        target = targets.load(name)
        yield from target.rules
        for package in target.rule_packages:
            yield from discovery.rules(package)
    for package in discovery.packages():
        with contextlib.suppress(TypeError):
            yield from discovery.rules_below(package)


def by_code() -> Mapping[str, Rule]:
    """All rules by code, sorted."""
    return MappingProxyType({rule.code: rule for rule in sorted(every(), key=lambda r: r.code)})
