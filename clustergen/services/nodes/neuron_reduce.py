"""A reduction over the Neuron cores of several nodes, which torchrun starts.

nccom-test starts its processes with MPI and SSH, which AWS's images of Neuron do not serve. Without
EFA, Neuron's collectives do not run between nodes.
"""

PROGRAM = """\
import sys, time
import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_backend
import torch_xla.runtime as xr

dist.init_process_group("xla")
rank, world = xr.global_ordinal(), xr.world_size()


def reduce(data):
    total = xm.all_reduce(xm.REDUCE_SUM, data)
    xm.mark_step()
    xm.wait_device_ops()
    return total


for mib in (1, 16, 256):
    data = torch.ones(mib * 2**18, device=xm.xla_device())
    if not bool((reduce(data).cpu() == world).all()):
        sys.exit(f"rank {rank}: wrong sums of {mib} MiB")
    start = time.monotonic()
    for _ in range(20):
        reduce(data)
    seconds = (time.monotonic() - start) / 20
    if rank == 0:
        bus = 2 * (world - 1) / world * mib / 1024 * 1.073741824 / seconds
        print(f"{mib} MiB: {bus:.1f} GB/s bus bandwidth", flush=True)
if rank == 0:
    print(f"{world} NeuronCores agree", flush=True)
"""
