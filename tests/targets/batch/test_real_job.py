"""The all-reduce job on two nodes: its script, with the real OpenMPI and the real sshd.

Only the benchmark is another program, which prints what nccl-tests would.
"""

import threading
from collections.abc import Iterator, Mapping

import pytest

from tests.support import control, debian
from tests.support.node_network import NodeNetwork, Run, node_network
from tests.support.tiers import needs
from tests.support.waiting import PATIENCE
from tests.targets.batch.planned import container_of, job_of

pytestmark = needs(debian.impossible)

MAIN, CHILD = "10.77.0.11", "10.77.0.12"
GPUS = 8
SPEC = "node_groups: [{name: h200, count: 2}]"
PERF = "/opt/nccl-tests/build/all_reduce_perf"
# One line for each rank, and what the script looks for.
BENCHMARK = r"""#!/bin/bash
printf 'rank %s on %s of %s, %s\n' \
  "$OMPI_COMM_WORLD_RANK" "$(hostname)" "$OMPI_COMM_WORLD_SIZE" "$FI_PROVIDER"
[[ $OMPI_COMM_WORLD_RANK == 0 ]] || exit 0
echo 'NCCL INFO NET/OFI Selected provider is efa, fabric is efa'
echo '  34359738368   8589934592     float     sum      -1   1.0   2.0   480.5      0'
echo '# Out of bounds values : 0 OK'
"""


PACKAGES = ("openmpi-bin", "openssh-server", "openssh-client", "curl", "hostname", "python3")


def openmpi_failure() -> str:
    """Why OpenMPI does not start two processes on one machine."""
    with node_network(debian.machine(PACKAGES)) as made:
        made.name_hosts({"main": MAIN})
        made.add("main", MAIN)
        ran = made.run(
            "main", "mpirun --allow-run-as-root --oversubscribe -n 2 hostname && sshd -V"
        )
    return f"openmpi: {ran.text.strip().splitlines()[-1]}" if ran.status else ""


@pytest.fixture
def nodes() -> Iterator[NodeNetwork]:
    control.need(openmpi_failure)
    with node_network(debian.machine(PACKAGES)) as made:
        made.name_hosts({"main": MAIN, "child": CHILD})
        for name, address in (("main", MAIN), ("child", CHILD)):
            made.add(name, address)
            made.put(name, PERF, BENCHMARK, 0o755)
            made.run(name, "mkdir -p /opt/amazon/openmpi && ln -s /usr/bin /opt/amazon/openmpi/bin")
        yield made


def script(seconds: int) -> str:
    """What the containers of the job run, with less time for nodes to join."""
    command: str = container_of(job_of(SPEC, "h200-nccl"))["command"][2]
    assert "join_seconds=900" in command
    return command.replace("join_seconds=900", f"join_seconds={seconds}")


def variables(index: int) -> Mapping[str, str]:
    """What Batch and the job definition give to a node: only children know the main node."""
    given = {e["name"]: e["value"] for e in container_of(job_of(SPEC, "h200-nccl"))["environment"]}
    main = {"AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS": MAIN} if index else {}
    return {
        **given,
        "AWS_BATCH_JOB_NODE_INDEX": str(index),
        "AWS_BATCH_JOB_MAIN_NODE_INDEX": "0",
        "AWS_BATCH_JOB_NUM_NODES": "2",
        # Sixteen processes wait for each other on the few cores of this machine.
        "OMPI_MCA_mpi_yield_when_idle": "1",
        **main,
    }


def test_every_gpu_of_every_node_takes_part(nodes: NodeNetwork) -> None:
    child: list[Run] = []
    text, of_child, of_main = script(120), variables(1), variables(0)

    def join() -> None:
        child.append(nodes.run("child", text, environment=of_child, seconds=PATIENCE))

    waiting = threading.Thread(target=join)
    waiting.start()
    done = nodes.run("main", text, environment=of_main, seconds=PATIENCE)
    # Batch ends the children with the main node.
    nodes.run("child", "pkill sshd || kill $(cat /run/sshd.pid)")
    waiting.join()
    assert done.status == 0, done.text + child[0].text
    ranks = {line for line in done.text.splitlines() if line.startswith("rank ")}
    assert len(ranks) == 2 * GPUS
    assert {line.split()[3] for line in ranks} == {"main", "child"}
    assert all(line.endswith(f"of {2 * GPUS}, efa") for line in ranks)
    assert "PASS: bus bandwidth of the largest size 480.5 GB/s" in done.text


def test_a_main_node_without_its_children_fails(nodes: NodeNetwork) -> None:
    """No failure of a child ends a job: it would keep its nodes until its time limit."""
    done = nodes.run("main", script(2), environment=variables(0))
    assert done.status == 1
    assert "FAIL: 1 of 2 nodes joined within 2 s" in done.text


def test_a_child_without_its_main_node_gives_up(nodes: NodeNetwork) -> None:
    done = nodes.run("child", script(2), environment=variables(1))
    assert done.status == 1
    assert f"the main node {MAIN} does not answer" in done.text
