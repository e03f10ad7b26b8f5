"""Files of a bundle for the cluster: values, manifests, tests, and a script."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Json
from clustergen.base.yaml_text import yaml_text
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
from clustergen.services.kubernetes.manifest import FOLDER, file
from clustergen.spec import placeholders

INSTALL = "install.sh"
APPLY = "apply.sh"


def files(plan: Plan) -> tuple[Artifact, ...]:
    """All files, in order of use."""
    inside = (*manifests(plan), *smoke.files(plan), *training.files(plan))
    return (install(plan), *_values(plan), *inside, *_mirror(plan, inside))


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


def filled(plan: Plan) -> tuple[str, ...]:
    """Paths of the files with placeholders, which must be filled before the script runs."""
    made = (*_values(plan), *manifests(plan))
    return tuple(item.path for item in made if placeholders.names(item.text))


def install(plan: Plan) -> Artifact:
    """The script that installs charts and manifests."""
    early, late = split(plan)
    used = components(plan)
    kinds = (*_EARLY, *_LATE)
    before, after = ([item.path for item in items] for items in (early, late))
    shared = {
        name: path if joining.is_on(plan) and path in before + after else ""
        for name, path in _SHARED.items()
    }
    return _script(
        plan,
        INSTALL,
        [path for path in after if path not in shared.values()],
        [o for kind in kinds for o in kind.objects(plan)],
        [o for kind in kinds if kind.path not in shared.values() for o in kind.objects(plan)],
        software=True,
        components=[_installed(plan, component) for component in used],
        **mirror.login(plan),
        early=[path for path in before if path not in shared.values()],
        **shared,
        tried=after,
        mpi_operator=mpi_operator.is_on(plan),
        **joining.values(plan, used),
    )


def apply(plan: Plan, late: Iterable[Artifact], objects: Iterable[Json], label: str) -> Artifact:
    """The script for a cluster whose software is installed by other means: it applies manifests.

    ``objects`` are those in ``late``; ``label`` is that of nodes with the name of their group.
    """
    made, paths = tuple(objects), [item.path for item in late]
    return _script(
        plan,
        APPLY,
        paths,
        made,
        made,
        tried=paths,
        software=False,
        **{**joining.values(plan, label=label), **_NO_SOFTWARE},
    )


_NO_SOFTWARE: Mapping[str, Any] = {
    "components": [],
    "registry_host": "",
    "registry_region": "",
    "early": [],
    "mpi_manifest": "",
    "runtimes_manifest": "",
    "mpi_operator": False,
    "mpi_api": "",
    "kueue_api": "",
    "device_classes": [],
    "shared_runtimes": [],
    "spaces": [],
}


def _script(
    plan: Plan,
    path: str,
    late: Sequence[str],
    objects: Iterable[Json],
    own: Iterable[Json],
    **more: Any,
) -> Artifact:
    """The script at ``path``; ``own`` are those of ``objects`` that others do not have.

    ``more`` has the values that differ.
    """
    checked = [pruning.line(item) for item in own if not pruning.is_kept(item)]
    text = shell.render(
        "kubernetes/install.sh.j2",
        **more,
        script=path,
        late=late,
        objects=[pruning.line(item) for item in objects],
        checked=checked,
        checked_resources=sorted({line.partition("/")[0] for line in checked}),
        joined=joining.is_on(plan),
        mpi_crd=mpi_operator.CRD,
        mpi_name=mpi_operator.NAME,
        fsx_volumes=[(id, volumes.path_of(id)) for id in volumes.unknown_paths(plan)],
        volumes_file=VOLUMES,
        region=plan.region,
        eks_cluster=plan.kubernetes_name,
        resources=list(pruning.RESOURCES.values()),
        kept=list(pruning.KEPT.values()),
        timed=timetable.is_on(plan),
        timetable=timetable.of_bundle(plan),
        mark=timetable.MARK,
        label=f"{pruning.LABEL}={pruning.owner(plan)}",
        theirs=f"{pruning.LABEL} notin ({pruning.owner(plan)})",
        resources_of_charts=[(c.name, c.resource) for c in charts.EVERY if c.resource],
        release_label=f"{pruning.RELEASE_LABEL}={pruning.owner(plan)}",
        hyperpod_release=pruning.HYPERPOD_RELEASE,
        other_releases=f"{pruning.RELEASE_LABEL}!={pruning.owner(plan)}",
    )
    return Artifact(path, text, executable=True)


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
        # In an existing cluster, they may be there: install.sh creates those that are missing.
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


_SHARED: Mapping[str, str] = {
    "mpi_manifest": f"{FOLDER}/mpi-operator.yaml",
    "runtimes_manifest": f"{FOLDER}/runtimes.yaml",
}
"""Manifests of software that an existing cluster may have from elsewhere, by their value."""


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


def _installed(plan: Plan, component: Component) -> dict[str, str | list[str]]:
    """A component, for install.sh: from the registry of the spec, if it has one."""
    waits = ["--wait"] if component.chart.ready else []
    offer = component.offer
    made = {
        **_published(component),
        "release": devices.release(plan, component.name, offer),
        "same": offer.same if offer else "",
        "other": offer.other if offer else "",
        "groups_value": offer.value if offer else "",
    }
    if plan.software.registry:
        return {**made, "reference": mirror.chart(plan, component.name), "options": waits}
    return {**made, "options": [*made["options"], *waits]}


def _published(component: Component) -> dict[str, str | list[str]]:
    """A component, with the address at which its chart is published."""
    chart = component.chart
    return {
        "name": chart.name,
        "why": component.why,
        "reference": chart.reference,
        "version": chart.version,
        "namespace": chart.namespace,
        "settings": _values_path(component) if component.values else "",
        "signs": list(chart.signs),
        "options": ["--repo", chart.repository] if chart.repository else [],
    }
