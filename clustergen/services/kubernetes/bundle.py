"""Files of a bundle for the cluster: values, manifests and tests."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.yaml_text import yaml_text
from clustergen.deployment.software import model
from clustergen.deployment.software.model import Release, Software
from clustergen.plan.model import Plan
from clustergen.services import mirror
from clustergen.services.kubernetes import (
    access,
    charts,
    claims,
    devices,
    gpu_metrics,
    joining,
    karpenter,
    kueue,
    labels_and_taints,
    mpi_operator,
    namespaces,
    node_metrics,
    ownership,
    prometheus,
    pruning,
    queues,
    smoke,
    storage_class,
    timetable,
    training,
    training_runtimes,
    volumes,
)
from clustergen.services.kubernetes.charts import Component
from clustergen.services.kubernetes.components import components
from clustergen.services.kubernetes.labels_and_taints import NODE_GROUP_LABEL
from clustergen.services.kubernetes.manifest import FOLDER, file


def files(plan: Plan) -> tuple[Artifact, ...]:
    """All files, in order of use."""
    inside = (*manifests(plan), *smoke.files(plan), *training.files(plan))
    return (*_values(plan), *inside, *_mirror(plan, inside))


def _mirror(plan: Plan, inside: Iterable[Artifact]) -> Iterator[Artifact]:
    used = components(plan)
    return mirror.files(
        plan,
        inside,
        [image for component in used for image in component.chart.operands],
        charts=[_published(component) for component in used],
        helm=True,
        private=charts.private_registries(
            address for component in used for address in _copied(plan, component)
        ),
        kubernetes=f"{plan.kubernetes.version}.0",
    )


def software(plan: Plan) -> Software:
    """What ``bundle.json`` says of charts and manifests."""
    before, after = ([item.path for item in items] for items in split(plan))
    used = components(plan)
    joined = joining.joined(plan, used)
    shared = {joined.operator, joined.runtimes} if joined else set()
    return replace(
        objects(plan, after, NODE_GROUP_LABEL),
        early=tuple(path for path in before if path not in shared),
        late=tuple(path for path in after if path not in shared),
        releases=tuple(_release(plan, component) for component in used),
        charts=charts.known(shared=joined is not None),
        mpi_operator=mpi_operator.is_on(plan),
        joined=joined,
    )


def objects(plan: Plan, paths: Iterable[str], label: str) -> Software:
    """The same of manifests alone; ``label`` is that of nodes with the name of their group."""
    login = mirror.login(plan)
    return Software(
        late=tuple(paths),
        registry=login["registry_host"],
        registry_region=login["registry_region"],
        volumes={id: volumes.path_of(id) for id in volumes.unknown_paths(plan)},
        timetable=timetable.of_bundle(plan),
        held=timetable.MARK,
        joined=model.Joined(node_label=label) if joining.is_on(plan) else None,
    )


def manifests(plan: Plan) -> tuple[Artifact, ...]:
    """The objects to apply, in order."""
    early, late = split(plan)
    return (*early, *late)


VOLUMES = f"{FOLDER}/volumes.yaml"


@dataclass(frozen=True, slots=True)
class Manifest:
    """A file of objects in the folder of manifests: its name, its comment, and what is in it."""

    name: str
    comment: tuple[str, ...]
    objects: Callable[[Plan], Iterable[Json]]

    @property
    def path(self) -> str:
        return f"{FOLDER}/{self.name}.yaml"


def _on_system_nodes(plan: Plan) -> Json:
    selector = labels_and_taints.on_system_nodes(plan)
    return {"nodeSelector": selector} if selector else {}


def _timetable(plan: Plan) -> Iterator[Json]:
    return timetable.objects(plan, _on_system_nodes(plan), name=timetable.of_bundle(plan))


def _ownership(plan: Plan) -> Iterator[Json]:
    spaces = namespaces.all_namespaces(plan)
    if joining.is_on(plan):
        nodes, queue = joining.on_own_nodes(plan), joining.queue_labels(plan, spaces[0])
        return ownership.objects(plan, spaces, nodes, queue, waits=True)
    return ownership.objects(plan, spaces, _on_system_nodes(plan))


_EARLY = (
    Manifest(
        "namespaces",
        ("Where jobs are run from: a namespace for each queue.",),
        # In an existing cluster, they may be there: a deployment creates those that are missing.
        lambda plan: () if joining.is_on(plan) else namespaces.objects(plan),
    ),
    Manifest(
        "mpi-operator",
        (f"The MPI operator {mpi_operator.VERSION}, which runs MPIJob (jobs).",),
        lambda plan: mpi_operator.objects(plan) if mpi_operator.is_on(plan) else (),
    ),
    Manifest(
        "gpu-metrics",
        ("What dcgm-exporter measures (monitoring).",),
        lambda plan: gpu_metrics.objects() if gpu_metrics.is_on(plan) else (),
    ),
)
_LATE = (
    Manifest(
        "access",
        access.COMMENT,
        # Its roles add to those of the whole cluster.
        lambda plan: () if joining.is_on(plan) else access.objects(plan, namespaces.by_queue(plan)),
    ),
    Manifest(
        "node-metrics",
        ("A pod on each node that measures it (monitoring).",),
        lambda plan: node_metrics.objects(plan) if node_metrics.is_on(plan) else (),
    ),
    Manifest(
        "prometheus",
        ("Prometheus with its rules, and Alertmanager (monitoring).",),
        lambda plan: prometheus.objects(plan) if prometheus.is_on(plan) else (),
    ),
    Manifest(
        "kueue",
        (
            "Queues of Kueue. Quotas are what the node groups have at their maximum, less what",
            "Kubernetes and the agents on each node keep.",
        ),
        lambda plan: kueue.objects(plan) if kueue.is_on(plan) else (),
    ),
    Manifest("timetable", timetable.COMMENT, _timetable),
    Manifest("queues", ("Queues of the scheduler (scheduler).",), queues.objects),
    Manifest("priorities", ("Priorities of pods, by queue (priority).",), queues.priorities),
    Manifest(
        "volumes",
        ("File systems for pods: name the claim in a pod's volumes (storage).",),
        lambda plan: volumes.objects(plan, namespaces.all_namespaces(plan)),
    ),
    Manifest(
        "ownership",
        ("Jobs that open new file systems to the users of all pods (storage).",),
        _ownership,
    ),
    Manifest(
        "storage-class",
        storage_class.COMMENT,
        lambda plan: () if joining.is_on(plan) else storage_class.objects(plan),
    ),
    Manifest("runtimes", ("Runtimes that a TrainJob names (jobs).",), training_runtimes.objects),
    Manifest(
        "claims",
        ("Devices for pods: name a template in a pod's resourceClaims (devices: dra).",),
        claims.objects,
    ),
    Manifest(
        "karpenter",
        ("What Karpenter may start: a node class and a node pool for each group (autoscaler).",),
        lambda plan: karpenter.objects(plan) if karpenter.is_on(plan) else (),
    ),
)


def split(plan: Plan) -> tuple[tuple[Artifact, ...], tuple[Artifact, ...]]:
    """Manifests to apply before the charts, and those after, of kinds that the charts install."""
    return tuple(rendered(plan, _EARLY)), tuple(rendered(plan, _LATE))


def rendered(plan: Plan, kinds: Iterable[Manifest]) -> Iterator[Artifact]:
    """The files of those that have objects."""
    for kind in kinds:
        if objects := tuple(pruning.labelled(plan, item) for item in kind.objects(plan)):
            yield file(kind.path, kind.comment, objects)


def _values(plan: Plan) -> Iterator[Artifact]:
    for component in components(plan):
        if component.values:
            yield Artifact(_values_path(component), _head(component) + yaml_text(component.values))


def _values_path(component: Component) -> str:
    return f"values/{component.name}.yaml"


def _head(component: Component) -> str:
    chart = component.chart
    what = component.why[0].upper() + component.why[1:]
    return f"# {what}.\n# Chart {chart.name} {chart.version}: {chart.source}\n"


def _copied(plan: Plan, component: Component) -> Iterator[str]:
    """The addresses of images for which the values name the registry."""
    text = yaml_text(component.values)
    for address in component.chart.images.values():
        if f"{plan.software.registry}/{address}" in text:
            yield address


def _release(plan: Plan, component: Component) -> Release:
    """A component of an installation: from the registry of the spec, if it has one."""
    chart, offer, mirrored = component.chart, component.offer, plan.software.registry
    made = Release(
        name=devices.release(plan, component.name, offer),
        chart=chart.name,
        why=component.why,
        reference=mirror.chart(plan, chart.name) if mirrored else chart.reference,
        repository="" if mirrored else chart.repository,
        version=chart.version,
        namespace=chart.namespace,
        values=_values_path(component) if component.values else "",
        waits=chart.ready,
    )
    if not joining.is_on(plan):
        return made
    made = replace(made, signs=chart.signs)
    if offer is None:
        return made
    return replace(made, same=offer.same, other=offer.other, groups_value=offer.value)


def _published(component: Component) -> dict[str, str | list[str]]:
    """A component for mirror.sh, with the address at which its chart is published."""
    chart = component.chart
    return {
        "name": chart.name,
        "reference": chart.reference,
        "version": chart.version,
        "namespace": chart.namespace,
        "settings": _values_path(component) if component.values else "",
        "options": ["--repo", chart.repository] if chart.repository else [],
    }
