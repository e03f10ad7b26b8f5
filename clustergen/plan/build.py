"""From the spec to the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from clustergen.base import discovery
from clustergen.base.findings import Finding, Path, found
from clustergen.facts.catalog import regions
from clustergen.plan import fsx, model, network, numbers, storage
from clustergen.plan.model import NodeGroup, Plan, Traits
from clustergen.plan.model.foundation import Served
from clustergen.plan.nodes import MachinePlanner, iam_of
from clustergen.spec import target_defaults
from clustergen.spec.options import read

if TYPE_CHECKING:
    from clustergen.spec.base import Section
    from clustergen.spec.model import Spec
    from clustergen.spec.software import Script

T = TypeVar("T")
_SECONDS_PER_DAY = 86400
NEUTRAL = Traits(name="", section="", head_node=True)
"""Neutral traits, for checks of all targets."""


def check(spec: Spec) -> list[Finding]:
    """What the rules on specs find; it is the same for every target."""
    return list(found(discovery.rules(f"{__package__}.rules"), spec))


class Shared(NamedTuple):
    """Parts of a plan that are the same for every target."""

    written: frozenset[Path]
    findings: tuple[Finding, ...]
    network: network.Planned | None
    """None if a finding is fatal."""
    foundation: model.Foundation
    storage: tuple[model.Storage, ...]
    decisions: tuple[model.Decision, ...]
    stored: tuple[Finding, ...]
    """The findings about storage."""


def shared(
    spec: Spec,
    written: Iterable[Path] = (),
    served: Served = Served(),  # noqa: B008 a value
) -> Shared:
    """The parts of the plans of ``spec`` that do not depend on a target.

    ``served`` are the targets that its foundation serves, ``written`` the paths that the user wrote
    (:meth:`clustergen.spec.source.Document.written`).
    """
    paths, findings = frozenset(written), tuple(check(spec))
    if any(finding.fatal for finding in findings):
        return Shared(paths, findings, None, model.Foundation(), (), (), ())
    stored, decisions, more = storage.storage(spec, paths)
    places, common = network.plan(spec, served), _foundation(spec, served)
    return Shared(paths, findings, places, common, stored, tuple(decisions), tuple(more))


def build(
    spec: Spec, common: Shared, traits: Traits = NEUTRAL
) -> tuple[Plan | None, list[Finding]]:
    """The plan of ``spec`` for the target with ``traits``, and the findings of planning it.

    The plan is None if a finding is fatal. ``common`` is what :func:`shared` returns; its findings
    come first.
    """
    findings = [*common.findings]
    machines = MachinePlanner(traits)
    groups = _placed(machines.groups(spec.node_groups), common.network)
    section = _section(spec, traits)
    options = read(traits.options, section)
    head = _head(spec, traits, machines, options)
    # People reach the API of a service from where they are; a cluster for it has no such nodes.
    own_login = spec.login if traits.login_nodes and not traits.system_nodes else None
    login = machines.machine(own_login, ("login",)) if own_login else None
    login, stopped = (login, None) if login is None or login.count else (None, login)
    more_login = _more_login(section, traits, machines)
    system = machines.machine(spec.kubernetes.system_nodes, ("kubernetes", "system_nodes"))
    findings += machines.findings
    # Without a location, or with an unknown type, further findings would be guesses.
    places = common.network
    if system is None or places is None or any(finding.fatal for finding in findings):
        return None, findings
    findings += common.stored
    plan = Plan(
        target=traits.name,
        name=spec.name,
        foundation=spec.foundation or spec.name,
        region=spec.region,
        partition=regions.partition_of(spec.region).name,
        tags=dict(spec.tags),
        permissions_boundary=spec.permissions_boundary,
        network=places.network,
        head=head,
        login=login,
        node_groups=groups,
        queues=_queues(spec, groups),
        storage=common.storage,
        software=_software(spec),
        users=_items(model.User, ("users",), spec.users),
        slurm=_slurm(spec),
        kubernetes=_kubernetes(spec, system, _admission(spec, traits, options)),
        monitoring=_monitoring(spec),
        resilience=model.Resilience(**vars(spec.resilience)),
        options=options,
        existing=options.existing,
        overlay=section.overlay if section else {},
        limits=traits.limits,
        decisions=(*places.decisions, *machines.decisions, *common.decisions),
        shared=common.foundation,
        written=common.written,
        sagemaker=traits.sagemaker,
        scheduler=traits.scheduler,
        more_login=more_login,
        stopped_login=stopped,
        system=system if options.creates_eks else None,
    )
    return replace(plan, network=_counted(plan, traits)), findings


def _placed(groups: tuple[NodeGroup, ...], places: network.Planned | None) -> tuple[NodeGroup, ...]:
    """The groups, those with a zone in the subnets of that zone."""
    if places is None:
        return groups
    known = places.network.zonal if places.network.new else places.network.private

    def placed(group: NodeGroup) -> NodeGroup:
        found = tuple(subnet.id for subnet in known if subnet.zone == group.zone)
        if group.zone is None or group.subnets or not found:
            return group
        return replace(group, subnets=found[:1] if group.one_zone else found)

    return tuple(map(placed, groups))


def _foundation(spec: Spec, served: Served) -> model.Foundation:
    sections = [each for each in vars(spec.targets).values() if each is not None]
    sources = (each.lifecycle.source for each in sections if getattr(each, "lifecycle", None))
    given = {"head_node": spec.head_node, "login": spec.login}
    return model.Foundation(
        served,
        _unused(spec, served, sections),
        tuple(dict.fromkeys(sources)),
        tuple((name, iam_of(each.iam)) for name, each in given.items() if each),
    )


def _unused(spec: Spec, served: Served, sections: Sequence[Any]) -> frozenset[str]:
    """What the foundation does without: the same for all targets."""
    own = frozenset(each for given in sections for each in given.leave_out) & {"controller-role"}
    if served.alone is None:
        return own
    options: model.Options = read(served.alone, sections[0])
    return own | options.unneeded(spec)


def _counted(plan: Plan, traits: Traits) -> model.Network:
    """The network, with the IPv4 addresses that the cluster takes at its largest."""
    system = plan.system.count * (1 + _pod_addresses(plan, traits)) if plan.system else 0
    apart = plan.network.private[0] not in plan.network.system
    return replace(
        plan.network,
        needed_addresses=_addresses(plan, traits) + (0 if apart else system),
        needed_system_addresses=system if apart else 0,
    )


def _addresses(plan: Plan, traits: Traits) -> int:
    """IPv4 addresses that the nodes and file systems of the spec need at their maximum."""

    def pods(group: NodeGroup) -> int:
        found = plan.options.pod_addresses(group)
        return _pod_addresses(plan, traits) if found is None else found

    nodes = sum(
        group.max * (group.addresses + pods(group) + traits.interfaces_of_tasks(group))
        for group in plan.node_groups
        if not (group.subnets and plan.network.new)  # in the subnet of another zone
    )
    others = sum(machine.count for machine in (plan.head, *plan.all_login) if machine)
    others += traits.controller_addresses if plan.creates_cluster else 0
    return nodes + others + sum(fsx.addresses(item) for item in plan.storage if not item.existing)


def _pod_addresses(plan: Plan, traits: Traits) -> int:
    """IPv4 addresses that a node of a new cluster uses for pods."""
    found = traits.pod_addresses_with
    return found(plan.kubernetes.addons) if found else traits.pod_addresses


def _section(spec: Spec, traits: Traits) -> Any:
    """The target's section of the spec, or its defaults."""
    field = traits.section.replace("-", "_")
    if not field:
        return None
    return getattr(spec.targets, field) or target_defaults(field)


def _head(
    spec: Spec, traits: Traits, machines: MachinePlanner, options: model.Options
) -> model.Machine | None:
    """The head node; its count is the number of controllers. An existing cluster has its own."""
    has_head = traits.head_node and options.head_nodes
    found = machines.machine(spec.head_node, ("head_node",)) if has_head else None
    return replace(found, count=options.head_nodes) if found else None


def _more_login(
    section: Any, traits: Traits, machines: MachinePlanner
) -> tuple[model.Machine, ...]:
    """Further pools of login nodes, on targets that have pools."""
    path = ("targets", traits.section, "more_login_pools")
    pools = enumerate(getattr(section, "more_login_pools", ()))
    found = (machines.machine(pool, (*path, index)) for index, pool in pools)
    return tuple(pool for pool in found if pool)


def _queues(spec: Spec, groups: tuple[NodeGroup, ...]) -> tuple[model.Queue, ...]:
    if not spec.queues:
        return tuple(
            model.Queue(group.path, group.name, (group,), index == 0, None, None, False, {})
            for index, group in enumerate(groups)
        )
    marked = any(queue.default for queue in spec.queues)
    by_name = {group.name: group for group in groups}
    return tuple(
        model.Queue(
            path=("queues", index),
            **_fields(
                queue,
                node_groups=tuple(by_name[name] for name in queue.node_groups if name in by_name),
                default=queue.default or (index == 0 and not marked),
                nodes={group: numbers.ranges(text) for group, text in queue.nodes.items()},
            ),
        )
        for index, queue in enumerate(spec.queues)
    )


def _software(spec: Spec) -> model.Software:
    every = tuple(group.name for group in spec.node_groups)
    scripts = tuple(
        model.Script(
            path=("software", "scripts", index),
            url=script.run,
            on=_roles(script),
            when=script.when,
            args=tuple(script.args),
            node_groups=tuple(script.node_groups) or every,
            sha256=script.sha256,
            on_failure=script.on_failure,
            every_boot=script.every_boot,
        )
        for index, script in enumerate(spec.software.scripts)
    )
    software = spec.software
    return model.Software(software.os, software.containers, software.registry, scripts)


def _roles(script: Script) -> tuple[model.Role, ...]:
    """By default all that run scripts at that time: no update runs them on compute nodes."""
    if script.on is not None:
        return tuple(script.on)
    return ("head", "login") if script.when == "updated" else ("head", "login", "compute")


def _items(kind: Callable[..., T], path: Path, given: Iterable[Section]) -> tuple[T, ...]:
    """A list of the spec, whose items have the same fields as ``kind`` besides their path."""
    return tuple(kind(path=(*path, index), **_fields(item)) for index, item in enumerate(given))


def _fields(section: Section, **others: Any) -> dict[str, Any]:
    """The fields of a section, its lists as tuples; ``others`` are not the same in the plan."""
    every = vars(section) | others
    return {name: tuple(v) if isinstance(v, list) else v for name, v in every.items()}


def _slurm(spec: Spec) -> model.Slurm:
    given = spec.slurm
    accounting = given.accounting
    own = isinstance(accounting, str)
    fields = _fields(
        given,
        accounting=accounting if own else model.Database(**vars(accounting)),
        accounts=_items(model.Account, ("slurm", "accounts"), given.accounts),
        qos=_items(model.Qos, ("slurm", "qos"), given.qos),
        idle_timeout=None if given.idle_timeout == "never" else given.idle_timeout,
    )
    return model.Slurm(**fields)


def _admission(spec: Spec, traits: Traits, options: model.Options) -> str:
    """What admits jobs; an existing EKS cluster keeps what it has, unless the spec has queues."""
    joins = traits.system_nodes and not options.creates_eks
    return "none" if joins and not spec.queues else spec.kubernetes.admission


def _kubernetes(spec: Spec, system: model.Machine, admission: str) -> model.Kubernetes:
    given = spec.kubernetes
    fields = _fields(
        given,
        admission=admission,
        system_nodes=system,
        access=_items(model.ClusterAccess, ("kubernetes", "access"), given.access),
        addons=_items(model.ClusterAddon, ("kubernetes", "addons"), given.addons),
    )
    return model.Kubernetes(**fields)


def _monitoring(spec: Spec) -> model.Monitoring:
    """The section with its defaults; a new workspace is the foundation's."""
    given = spec.monitoring
    kept = given.log_retention
    return model.Monitoring(
        metrics=given.metrics,
        dashboards=given.dashboards,
        alerts=model.Alerts(tuple(given.alerts.email), given.alerts.topic),
        interval_seconds=given.interval,
        workspace=_workspace(spec) if given.metrics == "managed-prometheus" else None,
        log_retention_days=0 if kept == "forever" else -(-kept // _SECONDS_PER_DAY),
    )


def _workspace(spec: Spec) -> model.Id:
    given = spec.monitoring.workspace
    return model.Ref("MetricsWorkspaceId") if given == "new" else given
