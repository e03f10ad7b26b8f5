"""Reductions within a node, for accelerators that the image of NCCL's tests does not support."""

from dataclasses import dataclass

from clustergen.facts.catalog import neuron
from clustergen.plan.model import NodeGroup
from clustergen.services.nodes.nccl import largest_gib
from clustergen.services.nodes.torchrun import NEURON_IMAGE

# For x86_64 and arm64, with nccl-tests and MPI. Without an SSH server, it cannot run in an MPIJob.
# https://catalog.ngc.nvidia.com/orgs/nvidia/containers/pytorch (2026-11)
NVIDIA_IMAGE = "nvcr.io/nvidia/pytorch:25.06-py3"


@dataclass(frozen=True, slots=True)
class Collective:
    """A command that runs a reduction over the accelerators of one node."""

    name: str
    what: str
    image: str
    command: tuple[str, ...]


def within_a_node(group: NodeGroup) -> Collective | None:
    """The test of a group; None if nodes have one accelerator or MIG partitions."""
    if group.mig:
        return None
    if cores := neuron.cores(group.type):
        return _neuron(cores)
    return _nvidia(group) if group.type.gpus > 1 else None


def _neuron(cores: int) -> Collective:
    """https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/nccom-test.html"""
    sizes = ["-b", "8", "-e", "1G", "-f", "10", "-n", "20", "-d", "fp32"]
    command = ("/opt/aws/neuron/bin/nccom-test", "-r", str(cores), *sizes, "allr")
    return Collective("nccom", f"nccom-test over {cores} NeuronCores", NEURON_IMAGE, command)


def _nvidia(group: NodeGroup) -> Collective:
    """The test within a node; MPI needs no SSH there.

    Between nodes of an UltraServer, NVLink needs a ComputeDomain.
    """
    gpus = group.type.gpus
    command = (
        *("/usr/local/mpi/bin/mpirun", "--allow-run-as-root", "-np", str(gpus)),
        *("-x", "NCCL_DEBUG=INFO", "/usr/local/bin/all_reduce_perf_mpi"),
        *f"-b 8 -e {largest_gib(group)}G -f 2 -g 1 -c 1 -n 20".split(),
    )
    return Collective("all-reduce", f"NCCL all_reduce over {gpus} GPUs", NVIDIA_IMAGE, command)
