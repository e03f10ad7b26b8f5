"""Neuron cores of Trainium and Inferentia devices."""

from clustergen.facts.catalog import families
from clustergen.facts.catalog.instance import InstanceType


def cores(type: InstanceType) -> int:
    """Logical Neuron cores of an instance; 0 without devices, or if their number is unknown."""
    return type.neuron_devices * families.find(type.family).neuron_cores
