"""The endpoints that the nodes of a plan need where no way leads to the internet."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from clustergen.facts.catalog import endpoints
from clustergen.plan.model import Database, Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Storage
from clustergen.plan.model.foundation import Needs


def needed(plan: Plan) -> tuple[str, ...]:
    """The services that nodes call on the plan's target: gateways first, the rest by name."""
    served = plan.shared.served.needs
    return _services(plan, [served.get(plan.target, Needs())] if plan.target else served.values())


def created(plan: Plan) -> tuple[str, ...]:
    """The services whose endpoints the foundation creates: those that its targets need.

    They depend on the spec alone, like the whole foundation, so none of the tests below may look
    at what differs between the targets of a spec.
    """
    if not plan.network.new:
        return ()
    return _services(plan, plan.shared.served.needs.values()) if plan.network.closed else ("s3",)


def interfaces(services: Iterable[str]) -> tuple[str, ...]:
    """Those of ``services`` whose endpoints are network interfaces, with a fee."""
    return tuple(service for service in services if service not in endpoints.GATEWAYS)


def _services(plan: Plan, needs: Iterable[Needs]) -> tuple[str, ...]:
    every = {service for each in needs for service in _called(plan, *each.endpoints)}
    gateways = tuple(service for service in endpoints.GATEWAYS if service in every)
    return (*gateways, *sorted(every.difference(gateways)))


def _called(
    plan: Plan, always: Iterable[str], used: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    yield from always
    for use, services in (*used.items(), *endpoints.EVERYWHERE.items()):
        if use in _TESTS and _TESTS[use](plan):
            yield from services


def _has(plan: Plan, *kinds: type[Storage]) -> bool:
    return any(isinstance(item, kinds) for item in plan.storage)


_TESTS: Final[Mapping[str, Callable[[Plan], bool]]] = {
    endpoints.LOGIN: lambda plan: plan.wrote("login") or plan.wrote_option("more_login_pools"),
    endpoints.PASSWORDS: lambda plan: (
        isinstance(plan.slurm.accounting, Database) or plan.wrote_option("directory")
    ),
    endpoints.CONTAINERS: lambda plan: plan.software.containers != "none",
    endpoints.NODE_LOGS: lambda _: True,
    endpoints.CAUTION: lambda _: True,
    endpoints.SESSIONS: lambda plan: "sessions" not in plan.shared.unused,
    endpoints.CLOUDWATCH: lambda plan: plan.monitoring.metrics == "cloudwatch" or plan.insights,
    endpoints.PROMETHEUS: lambda plan: plan.monitoring.metrics == "managed-prometheus",
    endpoints.ALERTS: lambda plan: (
        plan.monitoring.metrics == "self-hosted" and plan.monitoring.alerts.wanted
    ),
    endpoints.KARPENTER: lambda plan: plan.kubernetes.autoscaler == "karpenter",
    endpoints.LUSTRE_DRIVER: lambda plan: _has(plan, Lustre, FileCache),
    endpoints.EFS_DRIVER: lambda plan: _has(plan, Efs),
    endpoints.VOLUMES: lambda plan: any(
        isinstance(item, OpenZfs | Ontap) and item.existing for item in plan.storage
    ),
}
"""The uses that a plan shows."""
