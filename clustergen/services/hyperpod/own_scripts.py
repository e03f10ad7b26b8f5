"""What the spec asks for, but only clustergen's lifecycle scripts do."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem
from clustergen.plan.model import Lustre, Plan


def problems(paths: Iterator[Path]) -> Iterator[Problem]:
    """A problem for each place of the spec that scripts of the user have to see to."""
    for path in dict.fromkeys(paths):
        yield Problem(
            path,
            f"the bundle does not set up {_named(path)}: nodes run your lifecycle scripts",
            help="do it in your scripts; or remove lifecycle, so that those of the bundle run",
        )


def _named(path: Path) -> str:
    return ".".join(str(step) for step in path if isinstance(step, str))


def on_every_node(plan: Plan) -> Iterator[Path]:
    """What scripts do whatever schedules jobs."""
    if plan.software.scripts:
        yield ("software", "scripts")
    for group in plan.node_groups:
        if group.scratch:
            yield group.at("scratch")
        if "gpu" in group.health_checks:
            yield group.at("health_checks")
    for item in plan.storage:
        if isinstance(item, Lustre) and item.efa:
            yield item.at("efa")
