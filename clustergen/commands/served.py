"""Which services the foundation of rendered bundles serves, and what that adds or removes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from clustergen import targets
from clustergen.base.findings import Finding
from clustergen.bundle import MANIFEST
from clustergen.bundle.rules.folder import EVERY_SERVICE, OTHER_BUNDLE
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.targets import needs

_SHOWN = 6


def findings(plans: Sequence[Plan], out: Path) -> Iterator[Finding]:
    """About the foundation of a spec with these plans, whose bundles are below ``out``."""
    plan = next(iter(plans), None)
    if plan is None or not _resources(plan):
        return
    if plan.shared.served.names:
        yield from _others(plan, out / plan.name)
        return
    rendered = frozenset(each.target for each in plans)
    added = sorted(_resources(plan) - _resources(needs.serving(plan, rendered)))
    if added:
        message = (
            f"{plan.name} names no targets, so its foundation has the parts of every service: "
            f"{_few(added)} are not for {', '.join(sorted(rendered))}"
        )
        named = ", ".join(f"{name}: {{}}" for name in targets.NAMES if name in rendered)
        help = f"write targets: {{{named}}}, with every service that you deploy it to"
        yield EVERY_SERVICE.at(("targets",), message, help=help)


def _others(plan: Plan, folder: Path) -> Iterator[Finding]:
    """Bundles for services that the foundation does not serve, of clusters that may run."""
    served = plan.shared.served.names
    for name in targets.NAMES:
        place = folder / name
        if name in served or not (place / MANIFEST).exists():
            continue
        needed = _resources(needs.serving(plan, served | {name}))
        if lacking := sorted(needed - _resources(plan)):
            message = (
                f"{place} is a bundle of this spec, but the foundation is for "
                f"{', '.join(sorted(served))} only: deploying it removes {_few(lacking)}"
            )
            help = f"add {name}: {{}} to targets, or delete {place} once its cluster is gone"
            yield OTHER_BUNDLE.at(("targets",), message, help=help)


def _resources(plan: Plan) -> frozenset[str]:
    return frozenset(foundation.build(plan).resources)


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
