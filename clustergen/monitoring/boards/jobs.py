"""Jobs: their GPUs, by the job id that dcgm-exporter puts on them, or by the pod that has them."""

from __future__ import annotations

from clustergen.monitoring.panels import Board, Panel, Row, Variable, graph, stat
from clustergen.monitoring.sources import Source

_GPU_OF = "DCGM_FI_PROF_SM_ACTIVE"


def _board(uid: str, title: str, label: str, needs: Source) -> Board:
    """The dashboard of jobs, which ``label`` identifies."""
    chosen = f'$scope,{label}=~"${label}",{label}!=""'
    job = Variable(label, f"{_GPU_OF}{{$scope}}", label)
    return Board(
        uid,
        title,
        (
            Row("GPUs", _gpus(label, chosen)),
            Row("Nodes of the job", _nodes(chosen)),
        ),
        (job,),
        frozenset({Source.GPU, needs}),
    )


def _gpus(label: str, chosen: str) -> tuple[Panel, ...]:
    name = "{{" + label + "}}"

    def of(function: str, field: str) -> tuple[str, str]:
        return f"{function} by ({label}) ({field}{{{chosen}}})", name

    return (
        graph("GPUs", "short", of("count", _GPU_OF)),
        graph("SM activity", "percentunit", of("avg", _GPU_OF)),
        graph(
            "Slowest GPU",
            "percentunit",
            of("min", _GPU_OF),
            help="One slow GPU holds up a synchronous job: this line below the average is a loss.",
        ),
        graph("Tensor core activity", "percentunit", of("avg", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE")),
        graph("Most GPU memory in use", "decmbytes", of("max", "DCGM_FI_DEV_FB_USED")),
        graph("Power", "watt", of("sum", "DCGM_FI_DEV_POWER_USAGE")),
        graph("Hottest GPU", "celsius", of("max", "DCGM_FI_DEV_GPU_TEMP")),
        graph("Slowest SM clock", "hertz", (f"1e6 * {of('min', 'DCGM_FI_DEV_SM_CLOCK')[0]}", name)),
        stat(
            "GPU hours at work, 24 h",
            "h",
            f"24 * sum by ({label}) (avg_over_time({_GPU_OF}{{{chosen}}}[1d]))",
            name,
        ),
    )


def _nodes(chosen: str) -> tuple[Panel, ...]:
    """Nodes that a GPU of the job is in; other jobs may share them."""
    also = f"and on (cluster, node) count by (cluster, node) ({_GPU_OF}{{{chosen}}})"
    efa = frozenset({Source.EFA})
    return (
        graph(
            "SM activity by node",
            "percentunit",
            (f"avg by (node) ({_GPU_OF}{{{chosen}}})", "{{node}}"),
        ),
        graph(
            "EFA: sent",
            "Bps",
            (
                "sum by (cluster, node) (rate(node_amazonefa_tx_bytes{$scope}[$rate]))\n" + also,
                "{{node}}",
            ),
            needs=efa,
        ),
        graph(
            "EFA: sent again",
            "pps",
            (
                "sum by (cluster, node) (rate(node_amazonefa_retrans_pkts{$scope}[$rate]))\n"
                + also,
                "{{node}}",
            ),
            needs=efa,
        ),
        graph(
            "Xid errors",
            "short",
            (
                "sum by (cluster, node, gpu, xid) (DCGM_EXP_XID_ERRORS_COUNT{$scope})\n" + also,
                "{{node}}, GPU {{gpu}}: Xid {{xid}}",
            ),
            healthy_empty=True,
        ),
    )


BOARDS = (
    _board("clustergen-jobs", "Jobs", "hpc_job", Source.JOB_FILES),
    _board("clustergen-pods", "Jobs (pods)", "pod", Source.KUBERNETES),
)
