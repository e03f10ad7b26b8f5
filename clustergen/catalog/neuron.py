"""Neuron cores of Trainium and Inferentia devices."""

from __future__ import annotations

from clustergen.catalog.instance import InstanceType

# Logical cores of a device, as they are without further settings: on Trainium2, two physical ones.
# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/ and
# .../programming-guide/training/pytorch-neuron-programming-guide.html (2026-11)
_CORES = {"inf1": 4, "inf2": 2, "trn1": 2, "trn1n": 2, "trn2": 4, "trn2u": 4}


def cores(type: InstanceType) -> int:
    """Logical Neuron cores of an instance; 0 without devices, and where theirs are not known."""
    return type.neuron_devices * _CORES.get(type.family, 0)
