"""What a spec says about a cluster that exists, which keeps its own."""

from collections.abc import Iterable, Iterator

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.plan.model import Plan


def without_effect(plan: Plan, paths: Iterable[Path]) -> Iterator[Problem]:
    """The settings among ``paths`` that the spec has."""
    for path in paths:
        if plan.wrote(*path):
            word = next(step for step in reversed(path) if isinstance(step, str))
            yield unwanted(
                path,
                f"{word} has no effect on an existing cluster, which keeps its own",
                help="change it where the cluster is defined",
            )
