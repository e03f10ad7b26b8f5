import os, sys, time
import torch
import torch.distributed as dist

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
rank, world = dist.get_rank(), dist.get_world_size()
# All are here. Their IMEX daemons find each other within seconds.
time.sleep(20)
gib = 1 / 1024
while gib <= int(sys.argv[1]):
    data = torch.ones(int(gib * 2**28), device="cuda")
    dist.all_reduce(data)
    if not bool((data == world).all()):
        sys.exit(f"rank {rank}: wrong sums of {gib} GiB")
    torch.cuda.synchronize()
    dist.barrier()
    start = time.monotonic()
    for _ in range(20):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    seconds = (time.monotonic() - start) / 20
    if rank == 0:
        bus = 2 * (world - 1) / world * gib * 1.073741824 / seconds
        print(f"{gib:g} GiB: {bus:.0f} GB/s bus bandwidth", flush=True)
    gib *= 8
if rank == 0:
    print(f"{world} GPUs agree", flush=True)
dist.destroy_process_group()
