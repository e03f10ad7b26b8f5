"""Exporters without what they export, and a machine's files for the real script of nodes."""

import contextlib
import json
import math
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from clustergen.services.monitoring.counters import COUNTERS

GPUS = 2


def _numbers(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in (word.split("=") for word in text.split())}


VALUES = _numbers("""
    DCGM_FI_DEV_SM_CLOCK=1830 DCGM_FI_DEV_GPU_TEMP=61 DCGM_FI_DEV_MEMORY_TEMP=70
    DCGM_FI_DEV_POWER_USAGE=610 DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION=610_000
    DCGM_FI_DEV_POWER_VIOLATION=2e8 DCGM_FI_DEV_GPU_UTIL=97 DCGM_FI_DEV_FB_USED=70_000
    DCGM_FI_DEV_FB_FREE=11_000 DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL=3e5
    DCGM_FI_PROF_SM_ACTIVE=0.82 DCGM_FI_PROF_PIPE_TENSOR_ACTIVE=0.41
    DCGM_FI_PROF_DRAM_ACTIVE=0.55 DCGM_FI_PROF_SM_OCCUPANCY=0.3
    DCGM_FI_PROF_PCIE_TX_BYTES=9e9 DCGM_FI_PROF_PCIE_RX_BYTES=7e9
""")
"""Gauges, and what counters grow by in a second; all others are 0."""
_SLURM = """
    nodes=4 nodes_alloc=2 nodes_mixed=0 nodes_idle=2 nodes_down=0 nodes_fail=0 nodes_noresp=0
    nodes_draining=0 nodes_powered_down=1 nodes_powering_up=0
    node_gpus{node="n1"}=8 node_gpus_alloc{node="n1"}=4
    jobs_running=2 jobs_pending=1 jobs_failed=1 jobs_node_failed=0 jobs_timeout=0
    jobs_preempted=0 jobs_outofmemory=0 slurmdbd_queue_size=0 agent_queue_size=0
    partition_jobs{partition="train"}=3 partition_jobs_pending{partition="train"}=1
    partition_jobs_gpus_alloc{partition="train"}=4 partition_gpus{partition="train"}=8
    partition_nodes_idle{partition="train"}=2 partition_nodes_powered_down{partition="train"}=1
    partition_nodes_drained{partition="train"}=0
"""
SLURM = "".join("slurm_{} {}\n".format(*word.rsplit("=", 1)) for word in _SLURM.split())
KUBERNETES = """\
kube_node_status_condition{node="n1",condition="Ready",status="true"} 1
kube_node_spec_unschedulable{node="n1"} 0
kube_node_status_capacity{node="n1",resource="nvidia_com_gpu"} 8
kube_node_status_allocatable{node="n1",resource="nvidia_com_gpu"} 8
kube_pod_container_resource_requests{namespace="train",pod="a",node="n",resource="nvidia_com_gpu"} 8
kube_pod_status_phase{namespace="train",pod="a",phase="Running"} 1
kube_pod_container_status_restarts_total{namespace="train",pod="a"} 0
kube_job_status_failed{namespace="train",job_name="a"} 0
kueue_pending_workloads{cluster_queue="q",status="active"} 1
kueue_cluster_queue_status{cluster_queue="q",status="active"} 1
kueue_cluster_queue_nominal_quota{cluster_queue="q",flavor="f",resource="nvidia.com/gpu"} 8
kueue_cluster_queue_resource_usage{cluster_queue="q",flavor="f",resource="nvidia.com/gpu"} 4
kueue_admitted_active_workloads{cluster_queue="q"} 2
kueue_admission_wait_time_seconds_bucket{cluster_queue="q",le="10"} SECONDS
kueue_admission_wait_time_seconds_bucket{cluster_queue="q",le="+Inf"} SECONDS
kueue_evicted_workloads_total{cluster_queue="q",reason="PodsReadyTimeout"} 0
karpenter_nodeclaims_created_total{nodepool="tune"} 1
karpenter_nodeclaims_terminated_total{nodepool="tune"} 0
karpenter_cloudprovider_instance_launch_failures_total 0
"""
EFA_COUNTERS = _numbers("""
    tx_bytes=4e9 rx_bytes=4e9 tx_pkts=500_000 rx_pkts=500_000 rx_drops=0 rdma_read_bytes=2e9
    rdma_write_bytes=2e9 rdma_read_wr_err=0 rdma_write_wr_err=0 retrans_pkts=1
    retrans_timeout_events=0 impaired_remote_conn_events=0 unresponsive_remote_events=0
""")
"""What the counters of a healthy device grow by in a second."""


@dataclass
class Cluster:
    """Output of the exporters; tests change it."""

    xids: dict[str, int] = field(default_factory=dict)
    """Node -> Xid of its first GPU."""
    lost: set[str] = field(default_factory=set)
    """Nodes whose dcgm-exporter does not answer."""
    drained: int = 0
    received: list[Any] = field(default_factory=list)
    """Alerts that the webhook got."""
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def wave(self, gpu: int, node: str) -> float:
        """Steps of a training job, and GPUs that differ a little."""
        return 1 - 0.05 * (1 + math.sin(self.seconds / 2)) - 0.02 * gpu - 0.03 * int(node[1:])

    def dcgm(self, node: str) -> Iterator[str]:
        for counter in COUNTERS:
            yield f"# TYPE {counter.name} {counter.type}"
            for gpu in range(GPUS):
                labels = (
                    f'gpu="{gpu}",UUID="GPU-{node}-{gpu}",device="nvidia{gpu}",hostname="x",'
                    f'modelName="NVIDIA H200",hpc_job="42",namespace="train",pod="a"'
                )
                xid = self.xids.get(node, 0) if gpu == 0 else 0
                if counter.name == "DCGM_EXP_XID_ERRORS_COUNT":
                    if xid:
                        yield f'{counter.name}{{{labels},xid="{xid}"}} 1'
                    continue
                value = VALUES.get(counter.name, 0.0)
                grows = counter.type == "counter"
                value = value * self.seconds if grows else value * self.wave(gpu, node)
                value = xid if counter.name == "DCGM_FI_DEV_XID_ERRORS" else value
                yield f"{counter.name}{{{labels}}} {value}"

    def page(self, path: str) -> str | None:
        match path.strip("/").split("/"):
            case ["dcgm", node]:
                return None if node in self.lost else "\n".join(self.dcgm(node)) + "\n"
            case ["slurm"]:
                return f"{SLURM}slurm_nodes_drained {self.drained}\n"
            case ["kubernetes"]:
                return KUBERNETES.replace("SECONDS", f"{self.seconds:.0f}")
        return None


def serve(cluster: Cluster) -> ThreadingHTTPServer:
    """Exporters and webhook on a free port of localhost, in a thread."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self, status: int, text: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            with contextlib.suppress(BrokenPipeError):  # Prometheus waits for a second only
                self.wfile.write(text.encode())

        def do_GET(self) -> None:
            page = cluster.page(self.path)
            self.answer(503) if page is None else self.answer(200, page)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            cluster.received.extend(body["alerts"])
            self.answer(200)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Machine:
    """Files of the kernel for a node with two EFA devices and Lustre, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.sys = folder / "sys"
        self.started = time.monotonic()
        self.storm = False
        self.lost_packets = 0.0
        for ost, free in (("OST0000", 900), ("OST0001", 100)):
            client = self.sys / f"fs/lustre/osc/fsx-{ost}-osc-ffff8f"
            write(client / "kbytestotal", 1000)
            write(client / "kbytesavail", free)
        for device in ("rdmap0", "rdmap1", "mlx5_0"):
            vendor = "0x15b3" if device.startswith("mlx") else "0x1d0f"
            write(self.sys / f"class/infiniband/{device}/device/vendor", vendor)
        self.lnetctl = program(folder / "lnetctl", 'cat "$(dirname "$0")/lnet"')
        self.aws = program(folder / "aws", f"echo '{RESERVATION}'")
        self.lnet = folder / "lnet"
        self.tick()

    def tick(self) -> None:
        """Bring the counters to now."""
        seconds = time.monotonic() - self.started
        self.lost_packets += 20_000 if self.storm else 0
        for device in ("rdmap0", "rdmap1", "mlx5_0"):
            counters = self.sys / f"class/infiniband/{device}/ports/1/hw_counters"
            for name, rate in EFA_COUNTERS.items():
                extra = self.lost_packets if name == "retrans_pkts" else 0
                write(counters / name, int(rate * seconds + extra))
        write(self.lnet, LNET.replace("MESSAGES", str(int(900 * seconds))))


_NI = """\
    - net type: {0}
      local NI(s):
        - nid: {1}@{0}
          status: up
          interfaces:
              0: eth0
          statistics:
              send_count: {2}
              recv_count: {2}
              drop_count: 0
"""
_NETS = (("lo", "0", 0), ("tcp", "10.0.0.10", 7), ("efa", "10.0.0.10", "MESSAGES"))
LNET = "net:\n" + "".join(_NI.format(*net) for net in _NETS)
"""The form of the output: https://wiki.lustre.org/LNet_Router_Config_Guide"""
_COUNTS = {"TotalInstanceCount": 4, "AvailableInstanceCount": 1}
_RESERVED = {"CapacityReservationId": "cr-1", "EndDate": "2099-01-01T11:30:00+00:00", **_COUNTS}
RESERVATION = json.dumps({"CapacityReservations": [_RESERVED]})


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def write(path: Path, value: object) -> None:
    """Replace the file at once: who reads it meanwhile has all of it, as from the kernel."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}")
    new.write_text(f"{value}\n")
    new.replace(path)
