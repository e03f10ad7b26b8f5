"""Which DaemonSets of a cluster would run on nodes of the bundle, before there are any."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.software.model import DeviceNodes, Taint
from clustergen.deployment.world import at

_DISCOVERY: Final = "node-feature-discovery(-minimal)?"
_DISCOVERED: Final = ("nvidia.com/", "feature.node.kubernetes.io/")
"""How the labels begin that nodes have where node feature discovery runs."""
_POLICIES: Final = "clusterpolicies.nvidia.com"
_RELEASE: Final = "meta.helm.sh/release-"
_POD: Final = "spec.template.spec"


@dataclass(frozen=True, slots=True)
class DaemonSet:
    """A DaemonSet, or one that an operator makes once there are nodes."""

    title: str
    containers: tuple[str, ...]
    """Of each, the name of its image, a blank, and its own name."""
    pod: Json
    """The spec of its pods."""
    release: str = ""
    """Namespace and name of its release of Helm."""

    def offers(self, pattern: str) -> bool:
        """Whether it has a container like the pattern."""
        return any(re.match(f"({pattern})( |$)", each) for each in self.containers)

    def runs_on(self, node: DeviceNodes, discovered: Collection[str]) -> bool:
        """As its controller decides; nodes of the groups ``discovered`` have labels of devices."""
        tolerations = self.pod.get("tolerations") or ()
        if not all(any(_tolerates(each, taint) for each in tolerations) for taint in node.taints):
            return False
        labels = (self.pod.get("nodeSelector") or {}).items()
        if not all(_has(node, key, "In", [value], discovered) for key, value in labels):
            return False
        terms = at(self.pod, f"affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms")
        return not terms or any(_fits(node, term, discovered) for term in terms)


_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def _tolerates(toleration: Json, taint: Taint) -> bool:
    key, effect = toleration.get("key"), toleration.get("effect")
    if (key and key != taint.key) or (effect and effect != taint.effect):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    return bool(operator == "Equal" and key and toleration.get("value", "") == taint.value)


def _fits(node: DeviceNodes, term: Json, discovered: Collection[str]) -> bool:
    """Whether a node has everything that a term wants; fields of nodes are not known before."""
    wanted = term.get("matchExpressions") or ()
    return (
        bool(wanted)
        and not term.get("matchFields")
        and all(
            _has(node, each["key"], each["operator"], each.get("values") or (), discovered)
            for each in wanted
        )
    )


def _has(
    node: DeviceNodes, label: str, how: str, values: Collection[str], discovered: Collection[str]
) -> bool:
    if label not in node.labels and "Not" not in how and label.startswith(_DISCOVERED):
        return node.group in discovered
    listed = node.labels.get(label) in values
    answers: Mapping[str, bool] = {
        "In": listed,
        "NotIn": not listed,
        "Exists": label in node.labels,
        "DoesNotExist": label not in node.labels,
    }
    return answers.get(how, False)


def read(api: Kubernetes) -> list[DaemonSet]:
    """The DaemonSets of the cluster, and that of the GPU operator, which nodes with GPUs start."""
    found = [*map(_made, api.everywhere("daemonsets"))]
    if api.get("customresourcedefinitions", _POLICIES):
        found += filter(None, map(_of_operator, api.items(_POLICIES)))
    return found


def release_of(item: Json) -> str:
    """Namespace and name of the release of Helm that has made an object."""
    marks = at(item, "metadata.annotations") or {}
    return f"{marks.get(f'{_RELEASE}namespace', '')}/{marks.get(f'{_RELEASE}name', '')}"


def title(item: Json) -> str:
    """Namespace and name of an object."""
    return f"{at(item, 'metadata.namespace')}/{at(item, 'metadata.name')}"


def has_image(item: Json, name: str) -> bool:
    """Whether a DaemonSet or a Deployment has a container with an image of this name."""
    return any(_image(each) == name for each in at(item, f"{_POD}.containers") or ())


def _image(container: Mapping[str, Any]) -> str:
    """The name of a container's image, without registry and tag."""
    return re.sub(r"(:[^/]*)?(@.*)?$", "", container.get("image", "")).rpartition("/")[2]


def _made(item: Json) -> DaemonSet:
    pod = at(item, _POD) or {}
    names = tuple(f"{_image(each)} {each.get('name')}" for each in pod.get("containers") or ())
    return DaemonSet(f"DaemonSet {title(item)}", names, pod, release_of(item))


def _of_operator(policy: Json) -> DaemonSet | None:
    if at(policy, "spec.devicePlugin.enabled") is False:
        return None
    selector = {"feature.node.kubernetes.io/pci-10de.present": "true"}
    tolerations = at(policy, "spec.daemonsets.tolerations")
    pod = {"nodeSelector": selector, "tolerations": tolerations}
    return DaemonSet(
        f"ClusterPolicy {at(policy, 'metadata.name')}", ("k8s-device-plugin plugin",), pod
    )


def serving(
    sets: list[DaemonSet],
    nodes: Collection[DeviceNodes],
    chart: str,
    own: Collection[str],
    pattern: str,
) -> Iterator[tuple[DeviceNodes, str]]:
    """The nodes that need a chart, and what has a container like the pattern there, if anything.

    Releases in ``own``, as namespace and name, do not count.
    """
    needing = [each for each in nodes if chart in each.charts]
    finding = [each for each in sets if each.offers(_DISCOVERY)]
    discovered = {n.group for n in needing if any(each.runs_on(n, ()) for each in finding)}
    found = [each for each in sets if each.offers(pattern) and each.release not in own]
    for node in needing:
        runs = (each.title for each in found if each.runs_on(node, discovered))
        yield node, next(runs, "")
