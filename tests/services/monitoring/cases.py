"""What each alert makes of series of samples, a minute apart: when it is silent, when it fires.

Each case states all alerts that fire at some minutes, so it also shows that no other one does. The
values before and after are close to the threshold on both sides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from clustergen.services.monitoring import xids

SLURM, OLD_SLURM, KUBERNETES = "slurm 26.05", "slurm 25.11", "kubernetes"
ADD_ON, HYPERPOD, RESERVED = "hyperpod add-on", "hyperpod slurm", "slurm with a reservation"
LONG = 60
"""Minutes that the last value lasts."""


@dataclass(frozen=True)
class Case:
    """`series`: selector -> values; `firing`: minute -> names of the alerts that fire."""

    name: str
    series: Mapping[str, str]
    firing: Mapping[int, frozenset[str]]
    cluster: str = SLURM
    quiet: tuple[str, ...] = ()
    """Alerts that this case is about although they do not fire."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Alert -> how many of it fire at the last minute."""

    @property
    def about(self) -> frozenset[str]:
        return frozenset(chain(self.quiet, *self.firing.values()))


def steps(*parts: tuple[float, int], last: float) -> str:
    """A gauge: each value for so many minutes."""
    return " ".join(f"{value}x{minutes - 1}" for value, minutes in (*parts, (last, LONG)))


def grows(*parts: tuple[float, int], last: float) -> str:
    """A counter: by so much in each minute."""
    text, start = [], 0.0
    for rate, minutes in (*parts, (last, LONG)):
        text.append(f"{start}+{rate}x{minutes - 1}")
        start += rate * minutes
    return " ".join(text)


def always(value: float) -> str:
    return f"{value}x{LONG * 4}"


def until(minutes: int, value: float = 1) -> str:
    """A series that ends."""
    return f"{value}x{minutes - 1} stale"


NODE = '$c,node="n1"'
GPU = f'{NODE},gpu="0"'
ACTIVE = 'clustergen_reservation_active{$c,reservation="cr-0a1b2c3d4e5f67890"}'
"""Of the node group of the spec, whose two nodes are due while it is."""
INFO = 'clustergen_node_info{$c,node="%s",role="compute",group="%s"}'
ADD_ON_GPU = 'cluster_id="a1b2",Hostname="i-1",gpu="0"'
OF_ADD_ON = f"DCGM_FI_DEV_GPU_TEMP{{{ADD_ON_GPU}}}"
_OF_SLURM = {
    f'up{{{NODE},job="node"}}': always(1),
    INFO % ("n1", "h200"): always(1),
    INFO % ("n2", "h200"): always(1),
    f'up{{{NODE},job="dcgm"}}': always(1),
    ACTIVE: always(1),
    'clustergen_node_info{$c,node="login",role="login"}': always(1),
    "slurm_nodes{$c}": always(4),
    "slurm_nodes_powered_down{$c}": always(1),
    "slurm_nodes_down{$c}": always(0),
    "slurm_nodes_noresp{$c}": always(0),
}
HEALTHY: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys((SLURM, OLD_SLURM, RESERVED), _OF_SLURM),
    HYPERPOD: {**_OF_SLURM, INFO % ("n3", "h100"): always(1), INFO % ("n4", "l40s"): always(1)},
    KUBERNETES: {f'up{{{NODE},job="node"}}': always(1)},
    ADD_ON: {OF_ADD_ON: always(60)},
}


def one(
    alert: str,
    series: Mapping[str, str],
    silent: int,
    fires: int,
    *,
    cluster: str = SLURM,
    name: str = "",
) -> Case:
    """A case of one alert that is silent at a minute, and fires at a later one."""
    firing = {silent: frozenset[str](), fires: frozenset({alert})}
    return Case(name or alert, series, firing, cluster)


def step(alert: str, metric: str, values: tuple[float, float], *at: int, **more: str) -> Case:
    """The same, of one series that has its second value after five minutes.

    `metric` is of the node if it has no labels.
    """
    selector = metric if "{" in metric else f"{metric}{{{NODE}}}"
    silent, fires = at
    return one(alert, {selector: steps((values[0], 5), last=values[1])}, silent, fires, **more)


def none(alert: str, name: str, series: Mapping[str, str], *at: int, cluster: str = SLURM) -> Case:
    """A case in which an alert that could be mistaken stays silent."""
    return Case(f"{alert}: {name}", series, dict.fromkeys(at, frozenset()), cluster, (alert,))


XIDS: Mapping[str, tuple[int, ...]] = {
    "GpuXidReplace": xids.REPLACE,
    "GpuXidReset": xids.RESET,
    "GpuXidDegraded": xids.DEGRADED,
    "GpuXidApplication": xids.APPLICATION,
    "GpuXidUnlisted": (8, 121, 7, 640),
}


def xid_cases() -> Iterator[Case]:
    for alert, members in XIDS.items():
        for xid in members:
            metric = f'DCGM_EXP_XID_ERRORS_COUNT{{{GPU},xid="{xid}"}}'
            yield step(alert, metric, (0, 1), 4, 6, name=f"Xid {xid}")
    # dcgm-exporter counts nothing for a GPU that is gone, and keeps its last error.
    last = f"DCGM_FI_DEV_XID_ERRORS{{{GPU}}}"
    yield step("GpuXidReplace", last, (13, 79), 4, 6, name="Xid 79 as the last error")


def sbe(*parts: tuple[float, int], last: float) -> Mapping[str, str]:
    return {f"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{{{GPU}}}": grows(*parts, last=last)}


def nvlink(**changed: str) -> Mapping[str, str]:
    kinds = dict.fromkeys(("RECOVERY", "REPLAY", "CRC_DATA", "CRC_FLIT"), always(0))
    name = "DCGM_FI_DEV_NVLINK_{}_ERROR_COUNT_TOTAL{{{}}}"
    return {name.format(kind, GPU): text for kind, text in {**kinds, **changed}.items()}


def devices(metric: str, label: str, count: int, missing_from: int) -> Mapping[str, str]:
    """`count` devices of a node; the last one is gone from some minute on."""
    made = {f'{metric}{{{NODE},{label}="{i}"}}': always(60) for i in range(count - 1)}
    return {**made, f'{metric}{{{NODE},{label}="{count - 1}"}}': until(missing_from, 60)}


GPUS_OF_N2 = {f'DCGM_FI_DEV_GPU_TEMP{{$c,node="n2",gpu="{i}"}}': always(60) for i in range(8)}


def expected(what: str, count: int) -> Mapping[str, str]:
    return {f"clustergen_expected_{what}{{{NODE}}}": always(count)}


def gpu_cases() -> Iterator[Case]:
    def dcgm(name: str) -> str:
        return f"DCGM_FI_DEV_{name}{{{GPU}}}"

    yield one("GpuEccDoubleBit", {dcgm("ECC_DBE_VOL_TOTAL"): steps((0, 10), last=1)}, 9, 12)
    rising = "GpuEccSingleBitRising"
    yield one(rising, sbe((9 / 60, 120), last=26 / 60), 119, 179)
    yield none(rising, "few", sbe((1 / 60, 120), last=17 / 60), 179)
    yield none(rising, "many but steady", sbe((18 / 60, 120), last=30 / 60), 179)
    yield step("GpuRowRemapFailed", dcgm("ROW_REMAP_FAILURE"), (0, 1), 4, 6)
    yield step("GpuRowRemapped", dcgm("UNCORRECTABLE_REMAPPED_ROWS"), (2, 3), 4, 6)
    yield one("GpuNvlinkErrors", nvlink(REPLAY=grows((0, 10), last=1)), 13, 18)
    recovers = nvlink(RECOVERY=grows((0, 10), last=1))
    yield one("GpuNvlinkErrors", recovers, 13, 18, name="NVLink recovers")
    for kind in ("CRC_DATA", "CRC_FLIT"):
        errors = nvlink(**{kind: grows((90 * 60, 15), last=110 * 60)})
        yield one("GpuNvlinkCrc", errors, 26, 36, name=f"NVLink {kind}")
    heat = {dcgm("THERMAL_VIOLATION"): grows((0.045 * 60e9, 10), last=0.055 * 60e9)}
    yield one("GpuSlowedByHeat", heat, 21, 26)
    power = {dcgm("POWER_VIOLATION"): grows((0.45 * 60e9, 10), last=0.55 * 60e9)}
    yield one("GpuSlowedByPower", power, 40, 48)
    for kind, limit in (("GPU_TEMP", 88), ("MEMORY_TEMP", 95)):
        values, name = (limit - 1, limit + 1), f"{kind} above {limit}"
        yield step("GpuHot", dcgm(kind), values, 9, 12, name=name)
    yield from exporter_cases()
    yield step("NeuronMissing", "clustergen_missing_neuron", (0, 1), 9, 11, cluster=HYPERPOD)
    eight = expected("gpus", 8)
    seven = devices("DCGM_FI_DEV_GPU_TEMP", "gpu", 8, missing_from=5)
    yield one("GpuMissing", {**eight, **seven}, 9, 12)
    mig = {f'DCGM_FI_DEV_GPU_TEMP{{{GPU},GPU_I_ID="{i}"}}': always(60) for i in range(7)}
    yield none("GpuMissing", "one GPU in seven parts", {**expected("gpus", 1), **mig}, 20)
    yield one("GpuMetricsAbsent", eight, 8, 12, name="no GPU of the cluster reports")
    yield one("GpuMissing", {**eight, **GPUS_OF_N2}, 4, 7, name="no GPU of one node reports")


def exporter_cases() -> Iterator[Case]:
    """A node without what the exporter of GPUs needs is not asked for its metrics."""
    bare = {**expected("gpus", 8), f'up{{{NODE},job="dcgm"}}': f"_x{LONG * 4}"}
    yield one("GpuExporterMissing", bare, 28, 32)
    yield none("GpuMetricsAbsent", "no node has an exporter", bare, 25)
    yield none("GpuMissing", "the node has no exporter", {**bare, **GPUS_OF_N2}, 25)


def efa(counter: str, values: str, device: str = "rdmap0") -> Mapping[str, str]:
    return {f'node_amazonefa_{counter}{{{NODE},device="{device}",port="1"}}': values}


def efa_cases() -> Iterator[Case]:
    def again(packets: float, before: float, after: float) -> Mapping[str, str]:
        sent = efa("tx_pkts", grows(last=packets * 60))
        resent = grows((packets * before * 60, 10), last=packets * after * 60)
        return {**sent, **efa("retrans_pkts", resent)}

    yield one("EfaRetransmits", again(1100, 0.0009, 0.0011), 20, 27)
    yield none("EfaRetransmits", "a share of few packets", again(900, 0.0, 0.5), 40)
    timeouts = efa("retrans_timeout_events", grows((0.9, 15), last=1.2))
    yield one("EfaTimeouts", timeouts, 14, 30)
    peer = efa("unresponsive_remote_events", steps((0, 10), last=1))
    yield one("EfaPeerUnresponsive", peer, 9, 12)
    impaired = efa("impaired_remote_conn_events", grows((0, 10), last=1))
    yield one("EfaConnectionsImpaired", impaired, 13, 18)
    yield one("EfaReceiveDrops", efa("rx_drops", grows((9 * 60, 10), last=11 * 60)), 20, 26)
    for broken, fine in (("read", "write"), ("write", "read")):
        errors = efa(f"rdma_{broken}_wr_err", steps((0, 10), last=3))
        series = {**errors, **efa(f"rdma_{fine}_wr_err", always(0))}
        yield one("EfaRdmaErrors", series, 9, 12, name=f"RDMA {broken}s fail")
    missing = devices("node_amazonefa_tx_pkts", "device", 16, missing_from=5)
    yield one("EfaDeviceMissing", {**expected("efa", 16), **missing}, 9, 12)
    yield one("EfaDeviceMissing", expected("efa", 16), 4, 7, name="no EFA device at all")

    def rails(busy: float, before: float, after: float) -> Mapping[str, str]:
        quiet = grows((before * busy * 60, 10), last=after * busy * 60)
        return {**efa("tx_bytes", grows(last=busy * 60), "a"), **efa("tx_bytes", quiet, "b")}

    yield one("EfaImbalance", rails(1.1e9, 0.13, 0.08), 24, 34)
    yield none("EfaImbalance", "little traffic", rails(0.9e9, 0.0, 0.0), 40)


def node_cases() -> Iterator[Case]:
    yield from due_cases()
    for job in ("node", "dcgm", "slurm", "neuron"):
        name, metric = f"the exporter {job} is lost", f'up{{{NODE},job="{job}"}}'
        yield step("ExporterDown", metric, (1, 0), 9, 12, name=name)
    yield none("ExporterDown", "a job that is none", {f'up{{{NODE},job="other"}}': always(0)}, 20)
    silent = {f'up{{{NODE},job="node"}}': until(5), 'up{cluster="other",job="node"}': always(1)}
    yield one("MetricsAbsent", silent, 13, 16)
    steps_left = {f"clustergen_unfinished_steps{{{NODE}}}": always(1)}
    yield one("SetUpIncomplete", steps_left, 8, 12, cluster=HYPERPOD)
    root = f'{NODE},mountpoint="/",fstype="xfs"'
    free = {f"node_filesystem_avail_bytes{{{root}}}": steps((11, 5), last=9)}
    size = {f"node_filesystem_size_bytes{{{root}}}": always(100)}
    yield one("NodeDiskFull", {**free, **size}, 13, 17)
    yield step("NodeOutOfMemory", "node_vmstat_oom_kill", (4, 5), 4, 7)
    for sign in (1, -1):
        values, name = (sign * 0.045, sign * 0.055), f"the clock is off by {sign * 0.055} s"
        yield step("NodeClockWrong", "node_timex_offset_seconds", values, 13, 17, name=name)


def due_cases() -> Iterator[Case]:
    """Nodes that slurmctld has powered down are not due for metrics, but may be due to run."""
    fewer, silent = "NodesFewerThanMinimum", "NodesNotMeasured"
    off = {"slurm_nodes_powered_down{$c}": steps((1, 5), last=2)}
    none_on = {"slurm_nodes_powered_down{$c}": steps((1, 5), last=3)}
    gone = {INFO % ("n2", "h200"): until(5)}
    none_left = {**gone, INFO % ("n1", "h200"): until(5)}
    yield one(fewer, {**gone, **off}, 33, 37)
    yield one(fewer, {**none_left, **none_on}, 33, 37, name="no node of a group reports")
    spare = {INFO % (f"c{number}", "cpu"): always(1) for number in range(9)}
    yield one(fewer, {**gone, **spare}, 33, 37, name="another group has spare nodes")
    planned = {INFO % ("n5", "trn"): always(1), INFO % ("n4", "l40s"): until(5)}
    yield one(fewer, planned, 33, 37, cluster=HYPERPOD, name="only nodes of a plan are there")
    nameless = {INFO % ("n3", ""): always(1)}
    yield none(fewer, "a node does not know its group", {**gone, **nameless}, 40)
    begins = {ACTIVE: steps((0, 60), last=1)}
    yield one(fewer, {**none_left, **none_on, **begins}, 88, 92, name="the block has begun")
    apart = {
        "before the block begins": always(0),
        "when the block has ended": steps((1, 5), last=0),
        "nobody knows the block": f"_x{LONG * 4}",
    }
    for text, values in apart.items():
        yield none(fewer, text, {**none_left, **none_on, ACTIVE: values}, 60)
    both = frozenset({fewer, silent})
    yield Case("a node that runs is silent", gone, {33: frozenset(), 37: both})
    one_more = steps((0, 5), last=1)
    for what, other, series in (
        ("is down", "SlurmNodesDown", {"down": one_more, "fail": always(0)}),
        ("does not answer", "SlurmNodesNotResponding", {"noresp": one_more}),
    ):
        told = {f"slurm_nodes_{state}{{$c}}": values for state, values in series.items()}
        firing = {37: frozenset({fewer, other})}
        yield Case(f"a node that {what} is silent", {**gone, **told}, firing, quiet=(silent,))


def storage_cases() -> Iterator[Case]:
    def space(free: str, node: str = NODE) -> Mapping[str, str]:
        where = f'{node},mountpoint="/fsx"'
        size = {f"clustergen_mount_size_bytes{{{where}}}": always(100e12)}
        return {f"clustergen_mount_free_bytes{{{where}}}": free, **size}

    def shrinks(start: float, per_hour: float) -> str:
        return f"{start * 1e12}-{per_hour * 1e12 / 60}x{LONG * 4}"

    fills = "FileSystemFillsUp"
    yield one("FileSystemAlmostFull", space(steps((11e12, 5), last=9e12)), 18, 22)
    yield one(fills, space(shrinks(28, 1.3)), 55, 65)
    yield none(fills, "slowly", space(shrinks(28, 1.1)), 65)
    yield none(fills, "much is left", space(shrinks(33, 1.6)), 70)
    seen = {**space(shrinks(28, 1.3)), **space(shrinks(28, 1.3), '$c,node="n2"')}
    firing = {65: frozenset({fills})}
    yield Case("a file system that two nodes see", seen, firing, counts={fills: 1})
    ost = f'{NODE},filesystem="a",target="OST0000"'
    free = {f"clustergen_lustre_target_free_bytes{{{ost}}}": steps((55, 5), last=45)}
    size = {f"clustergen_lustre_target_size_bytes{{{ost}}}": always(1000)}
    yield one("LustreTargetAlmostFull", {**free, **size}, 18, 22)
    for alert, metric in (("MountMissing", "present"), ("MountHangs", "answers")):
        mounted = f'clustergen_mount_{metric}{{{NODE},mountpoint="/fsx"}}'
        yield step(alert, mounted, (1, 0), 8, 12)

    def messages(tcp: str, efa: str) -> Mapping[str, str]:
        name = 'clustergen_lnet_sent_messages_total{{{},net="{}"}}'.format
        return {name(NODE, "tcp"): tcp, name(NODE, "efa"): efa}

    client = expected("lustre_efa", 8)
    fallback = messages(grows((9 * 60, 10), last=11 * 60), always(0))
    yield one("LustreWithoutEfa", {**client, **fallback}, 27, 37)
    both = messages(grows(last=60 * 60), grows(last=60))
    yield none("LustreWithoutEfa", "both", {**client, **both}, 40)
    yield none("LustreWithoutEfa", "a node that has no EFA for Lustre", fallback, 40)


def slurm_cases() -> Iterator[Case]:
    def state(**values: str) -> Mapping[str, str]:
        return {f"slurm_{name}{{$c}}": text for name, text in values.items()}

    for broken, fine in (("nodes_down", "nodes_fail"), ("nodes_fail", "nodes_down")):
        series = state(**{broken: steps((0, 5), last=1), fine: always(0)})
        yield one("SlurmNodesDown", series, 24, 27, name=broken)
    # Two nodes of a reservation count as down until it begins; a third one is down for another
    # reason. Those of a block wait in maintenance, and are not down.
    early = {**state(nodes_fail=always(0)), ACTIVE: always(0)}
    two, three = state(nodes_down=always(2)), state(nodes_down=always(3))
    yield none("SlurmNodesDown", "before it begins", {**early, **two}, 30, cluster=RESERVED)
    down = frozenset({"SlurmNodesDown"})
    yield Case("a node of a block is down", {**early, **two}, {25: down})
    beside_them = "a node beside those of a reservation is down"
    yield Case(beside_them, {**early, **three}, {25: down}, RESERVED)
    left = state(nodes=always(2), nodes_powered_down=always(0), nodes_down=always(1))
    stopped = {**early, **left}
    yield Case("a node is down after those of it left Slurm", stopped, {25: down}, RESERVED)
    begins = {**early, **two, ACTIVE: steps((0, 20), last=1)}
    yield one("SlurmNodesDown", begins, 38, 42, cluster=RESERVED, name="down since it began")
    silent = "SlurmNodesNotResponding"
    yield one(silent, state(nodes_noresp=steps((0, 5), last=1)), 23, 27)
    boots = {**state(nodes_noresp=always(2)), **state(nodes_powering_up=steps((2, 5), last=1))}
    yield one(silent, boots, 23, 27, name="one node more than boot does not answer")
    over = {ACTIVE: steps((1, 5), last=0), **state(nodes_noresp=steps((0, 5), last=2))}
    yield none(silent, "when the reservation has ended", over, 30, cluster=RESERVED)
    other = {**over, **state(nodes_noresp=steps((0, 5), last=3))}
    name = "a node beside those of a reservation does not answer"
    yield one(silent, other, 23, 27, cluster=RESERVED, name=name)
    yield one("SlurmNodesDrained", state(nodes_drained=steps((0, 5), last=1)), 33, 37)

    def part(name: str = "train", **values: str) -> Mapping[str, str]:
        where = f'{{$c,partition="{name}"}}'
        return {f"slurm_partition_{what}{where}": text for what, text in values.items()}

    def idle(nodes: int, powered_down: int, of: str = "train") -> Mapping[str, str]:
        off, drained = always(powered_down), always(0)
        return part(of, nodes_idle=always(nodes), nodes_powered_down=off, nodes_drained=drained)

    waiting = part(jobs_pending=steps((0, 5), last=1))
    beside = "SlurmJobsWaitBesideIdleNodes"
    yield one(beside, {**waiting, **idle(3, 2)}, 33, 37, cluster=OLD_SLURM)
    off = {**waiting, **idle(3, 3)}
    yield none(beside, "they are powered down", off, 40, cluster=OLD_SLURM)
    yield none(beside, "of another queue", {**off, **idle(3, 2, "prep")}, 40, cluster=OLD_SLURM)
    yield from near_an_end(beside, {**waiting, **idle(3, 2)}, OLD_SLURM)

    def gpus(given: str) -> Mapping[str, str]:
        return part(gpus=always(100), jobs_gpus_alloc=given)

    beside = "SlurmJobsWaitBesideIdleGpus"
    pending, free = part(jobs_pending=always(3)), gpus(steps((76, 5), last=74))
    yield one(beside, {**pending, **idle(3, 2), **free}, 33, 37)
    yield from near_an_end(beside, {**pending, **idle(3, 2), **free}, SLURM)
    yield none(beside, "of nodes that are powered down", {**pending, **idle(3, 3), **free}, 40)
    others = {**pending, **idle(3, 3), **free, **idle(3, 2, "prep")}
    yield none(beside, "of another queue", others, 40)
    nobody = {**part(jobs_pending=always(0)), **idle(3, 2), **gpus(always(0))}
    yield none(beside, "nobody waits", nobody, 40)
    yield one("SlurmJobsLostNodes", state(jobs_node_failed=steps((2, 5), last=3)), 4, 7)
    yield one("SlurmDatabaseQueue", state(slurmdbd_queue_size=steps((900, 5), last=1100)), 13, 17)
    gone = {"slurm_nodes{$c}": until(5), 'slurm_nodes{cluster="other"}': always(1)}
    yield one("SlurmControllerAbsent", gone, 13, 16)


def near_an_end(alert: str, series: Mapping[str, str], cluster: str) -> Iterator[Case]:
    """On the last day of a block, jobs wait whose time limit is longer than what is left."""
    end = 'clustergen_reservation_end_seconds{$c,node="head",reservation="cr-1"}'
    day = frozenset({"CapacityBlockEndsInADay"})
    last = {**series, end: always(24 * 3600)}
    yield Case(f"{alert} on a last day", last, {37: day}, cluster, quiet=(alert,))
    for name, at in (("before", 24 * 3600 + 2400), ("after", 60)):
        when = {**series, end: always(at)}
        yield one(alert, when, 33, 37, cluster=cluster, name=f"{alert} {name} a last day")


def capacity_cases() -> Iterator[Case]:
    block = '$c,node="head",reservation="cr-1"'
    day, soon = frozenset({"CapacityBlockEndsInADay"}), frozenset({"CapacityBlockEndsSoon"})

    def ends(minutes: int) -> Mapping[str, str]:
        return {f"clustergen_reservation_end_seconds{{{block}}}": always(minutes * 60)}

    hours = 24 * 60
    yield Case("a block ends in a day", ends(hours + 10), {9: frozenset(), 11: day})
    yield Case("a block ends in two hours", ends(120 + 10), {9: day, 11: soon, 120: soon})
    yield Case("a block has ended", ends(5), {4: soon, 6: frozenset()}, quiet=tuple(day))
    of_block = f"clustergen_reservation_{{}}{{{{{block}}}}}".format
    free = {of_block("available_instances"): steps((24, 5), last=26)}
    counts = {**free, of_block("total_instances"): always(100)}
    yield one("ReservationUnused", {of_block("active"): always(1), **counts}, 33, 37)
    yield none("ReservationUnused", "it has not begun", counts, 40)
    fails = {of_block("lookup_failed"): steps((0, 5), last=1)}
    yield one("ReservationLookupFails", fails, 33, 37)
    another = {'clustergen_reservation_lookup_failed{$c,node="login"}': always(0)}
    yield none("ReservationLookupFails", "another node knows", {**fails, **another}, 40)


def pipeline_cases() -> Iterator[Case]:
    def reports(values: str) -> Mapping[str, str]:
        others = {f'up{{$c,node="n{n}",job="node"}}': always(1) for n in (2, 3)}
        return {**others, f'up{{{NODE},job="node"}}': values}

    alert = "MetricsIncomplete"
    yield one(alert, reports(f"1x40 {'1 _ ' * LONG}"), 65, 75)
    yield none(alert, "few", reports(f"1x40 {'1 1 1 _ ' * 30}"), 90)
    yield none(alert, "a new node", reports(f"_x29 {always(1)}"), 45)
    gone, back = f"1x39 _x{LONG * 4}", f"1x39 _x12 1x{LONG * 4}"
    yield none(alert, "a node that ended", reports(gone), 49, 55, 60, 64, 69)
    yield none(alert, "a node that was restarted", reports(back), 60, 66, 72)
    for job in ("dcgm", "node"):
        metric = f'scrape_duration_seconds{{{NODE},job="{job}"}}'
        name = f"the exporter {job} is slow"
        yield step("CollectionSlow", metric, (7.5, 8.5), 18, 22, name=name)


def kubernetes_cases() -> Iterator[Case]:
    def fires(alert: str, series: Mapping[str, str], silent: int, at: int, name: str = "") -> Case:
        return one(alert, series, silent, at, cluster=KUBERNETES, name=name)

    def condition(name: str, status: str) -> str:
        return f'kube_node_status_condition{{{NODE},condition="{name}",status="{status}"}}'

    ready = {condition("Ready", "true"): steps((1, 5), last=0)}
    yield fires("KubernetesNodeNotReady", ready, 9, 12)
    stops = {**ready, f"kube_node_spec_unschedulable{{{NODE}}}": steps((0, 4), last=1)}
    yield none("KubernetesNodeNotReady", "cordoned before", stops, 20, cluster=KUBERNETES)
    runs = {**ready, f"kube_node_spec_unschedulable{{{NODE}}}": always(0)}
    yield fires("KubernetesNodeNotReady", runs, 9, 12, "a node that is not cordoned is not ready")
    for pressure in ("DiskPressure", "MemoryPressure", "PIDPressure"):
        series = {condition(pressure, "true"): steps((0, 5), last=1)}
        yield fires("KubernetesNodePressure", series, 13, 17, pressure)
    faulty = {condition("AcceleratedHardwareReady", "false"): steps((0, 5), last=1)}
    yield fires("KubernetesAcceleratorFaulty", faulty, 6, 8)

    def gpus(which: str, values: str, kind: str = "gpu") -> Mapping[str, str]:
        return {f'kube_node_status_{which}{{{NODE},resource="nvidia_com_{kind}"}}': values}

    healthy = gpus("allocatable", steps((8, 5), last=7))
    unhealthy = {**gpus("capacity", always(8)), **healthy}
    yield fires("KubernetesGpusUnhealthy", unhealthy, 9, 12)
    sliced = {
        **gpus("capacity", always(56), "mig_1g_10gb"),
        **gpus("allocatable", steps((56, 5), last=49), "mig_1g_10gb"),
    }
    yield fires("KubernetesGpusUnhealthy", sliced, 9, 12, "partitions are unhealthy")
    cordoned = {f"kube_node_spec_unschedulable{{{NODE}}}": steps((0, 5), last=1)}
    yield fires("KubernetesNodeCordoned", cordoned, 63, 64 + 5)

    job = '$c,namespace="a",job_name="b"'
    failed = {f"kube_job_status_failed{{{job}}}": steps((0, 5), last=1)}
    waits = {f"kube_job_status_succeeded{{{job}}}": always(0)}
    yield fires("KubernetesJobFailed", {**failed, **waits}, 9, 12)
    passed = {f"kube_job_status_succeeded{{{job}}}": always(1)}
    yield none("KubernetesJobFailed", "but once", {**failed, **passed}, 20, cluster=KUBERNETES)
    restarts = 'kube_pod_container_status_restarts_total{$c,namespace="a",pod="b",container="c"}'
    yield fires("KubernetesPodsRestart", {restarts: grows((4.5 / 30, 35), last=6.5 / 30)}, 38, 70)

    yield from waiting_cases(gpus("allocatable", always(100)))
    launches = "karpenter_cloudprovider_instance_launch_failures_total{$c}"
    yield fires("KarpenterLaunchesFail", {launches: grows((4.5 / 15, 15), last=6.5 / 15)}, 33, 45)
    interruption = 'karpenter_interruption_received_messages_total{$c,message_type="spot"}'
    yield fires("KarpenterInterruptions", {interruption: steps((2, 5), last=3)}, 4, 7)
    ignored = {interruption.replace("spot", "no_op"): grows(last=1)}
    yield none("KarpenterInterruptions", "of no interest", ignored, 20, cluster=KUBERNETES)


def waiting_cases(allocatable: Mapping[str, str]) -> Iterator[Case]:
    """Of 100 GPUs, pods on nodes hold some, and one pod has no node."""
    alert = "KubernetesPodsWaitBesideIdleGpus"

    def pod(name: str, gpus: str, phase: str, node: str = ',node="n1"') -> Mapping[str, str]:
        labels = f'$c,namespace="a",pod="{name}"'
        asks = "kube_pod_container_resource_requests"
        return {
            f'{asks}{{{labels}{node},container="c",resource="nvidia_com_gpu"}}': gpus,
            f'kube_pod_status_phase{{{labels},phase="{phase}"}}': always(1),
        }

    runs, waits = pod("b", steps((76, 5), last=74), "Running"), pod("c", always(8), "Pending", "")
    beside = {**allocatable, **runs, **waits}
    yield one(alert, beside, 33, 37, cluster=KUBERNETES)
    ended = pod("d", always(90), "Succeeded")
    name = "pods that have ended hold nothing"
    yield one(alert, {**beside, **ended}, 33, 37, cluster=KUBERNETES, name=name)
    idle = {**allocatable, **waits}
    yield one(alert, idle, 29, 32, cluster=KUBERNETES, name="no pod has a GPU")
    pulls = {**beside, **pod("e", always(24), "Pending")}
    yield none(alert, "images are pulled", pulls, 40, cluster=KUBERNETES)
    yield none(alert, "nobody waits", {**allocatable, **runs}, 40, cluster=KUBERNETES)
    other = {k: v for k, v in waits.items() if "requests" not in k}
    yield none(alert, "without GPUs", {**allocatable, **runs, **other}, 40, cluster=KUBERNETES)


def kueue_cases() -> Iterator[Case]:
    queue = '$c,cluster_queue="q"'
    wait, inactive = "KueueWorkloadsWait", "KueueQueueInactive"
    stuck = {f'kueue_pending_workloads{{{queue},status="inadmissible"}}': steps((0, 5), last=1)}

    def status(active: str, pending: str) -> Mapping[str, str]:
        name = f'kueue_cluster_queue_status{{{queue},status="%s"}}'
        return {name % "active": active, name % "pending": pending}

    runs, held = status(always(1), always(0)), status(always(0), always(1))
    yield one(wait, {**stuck, **runs}, 63, 69, cluster=KUBERNETES)
    # One alert says why.
    firing = {70: frozenset({inactive})}
    yield Case("held", {**stuck, **held}, firing, KUBERNETES, quiet=(wait,))
    later = status(always(0), steps((0, 5), last=1))
    yield one(inactive, later, 63, 69, cluster=KUBERNETES)
    usual = {f'kueue_pending_workloads{{{queue},status="active"}}': always(3)}
    yield none(wait, "in line", usual, 70, cluster=KUBERNETES)
    evicted = f'kueue_evicted_workloads_total{{{queue},reason="%s"}}'
    slow = {evicted % "PodsReadyTimeout": grows((4 / 60, 60), last=8 / 60)}
    yield one("KueueEvictions", slow, 62, 119, cluster=KUBERNETES)
    preempted = {evicted % "Preempted": grows(last=1)}
    yield none("KueueEvictions", "preempted", preempted, 70, cluster=KUBERNETES)


def add_on_cases() -> Iterator[Case]:
    """HyperPod's add-on has labels of its own."""
    for alert, xid in XIDS.items():
        metric, name = f"DCGM_FI_DEV_XID_ERRORS{{{ADD_ON_GPU}}}", f"{alert} by the add-on"
        yield step(alert, metric, (0, xid[0]), 4, 6, cluster=ADD_ON, name=name)
    yield one("AddOnMetricsAbsent", {OF_ADD_ON: until(10, 60)}, 35, 50, cluster=ADD_ON)
    heat = {f"DCGM_FI_DEV_THERMAL_VIOLATION{{{ADD_ON_GPU}}}": grows((0, 10), last=0.2 * 60e9)}
    yield one("GpuSlowedByHeat", heat, 10, 26, cluster=ADD_ON, name="heat by the add-on")


CASES: tuple[Case, ...] = (
    *(Case(f"healthy: {each}", {}, {5: frozenset(), 35: frozenset()}, each) for each in HEALTHY),
    *(*xid_cases(), *gpu_cases(), *efa_cases(), *node_cases(), *storage_cases(), *slurm_cases()),
    *(*capacity_cases(), *pipeline_cases(), *kubernetes_cases(), *kueue_cases(), *add_on_cases()),
)
