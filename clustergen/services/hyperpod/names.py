"""SageMaker's names of instance types, and alternatives for types that it lacks."""

import re

from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType

_FAR = 8
"""Maximum ratio of vCPUs and memory for which a type is an alternative."""


def alternatives(type: InstanceType) -> str:
    """Alternatives to a type that HyperPod lacks: other sizes, or else similar types."""
    known = [found for found in map(catalog.find, catalog.names()) if found and found.hyperpod]
    family = [found.name for found in known if found.family == type.family]
    if family:
        return f"sizes of {type.family} that HyperPod has: {', '.join(family)}"
    alike = [t for t in known if _kind(t) == _kind(type) and _distance(type, t) <= _FAR]
    near = sorted(alike, key=lambda t: (_distance(type, t), _similarity(type, t), t.name))[:3]
    if not near:
        return "use another service: HyperPod offers fewer types than EC2"
    return f"nearest types that HyperPod has: {', '.join(found.name for found in near)}"


def _kind(type: InstanceType) -> tuple[str, str]:
    return type.arch, type.accelerator.kind if type.accelerator else ""


def _distance(wanted: InstanceType, other: InstanceType) -> float:
    """Distance between two instance types, by the ratio of vCPUs and memory."""
    cpus = max(wanted.vcpus, other.vcpus) / min(wanted.vcpus, other.vcpus)
    memory = max(wanted.memory_mib, other.memory_mib) / min(wanted.memory_mib, other.memory_mib)
    return cpus * memory


def _similarity(wanted: InstanceType, other: InstanceType) -> tuple[bool, int]:
    """Sort key by class and generation: m7i is nearer to m7a than m5 is; c7g is not near."""
    (letters, number), (others, generation) = _class(wanted), _class(other)
    return letters != others, abs(number - generation)


def _class(type: InstanceType) -> tuple[str, int]:
    found = re.match(r"([a-z]+)([0-9]*)", type.family)
    return (found[1], int(found[2] or 0)) if found else (type.family, 0)
