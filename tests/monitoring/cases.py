"""What each alert makes of series of samples, a minute apart: when it is silent, when it fires.

Each case states all alerts that fire at some minutes, so it also shows that no other one does. The
values before and after are close to the threshold on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from clustergen.monitoring import xids

SLURM, OLD_SLURM, KUBERNETES = "slurm 26.05", "slurm 25.11", "kubernetes"
ADD_ON = "hyperpod add-on"
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
HEALTHY: Mapping[str, Mapping[str, str]] = {
    SLURM: {
        f'up{{{NODE},job="node"}}': always(1),
        f'clustergen_node_info{{{NODE},role="compute"}}': always(1),
        'clustergen_node_info{$c,node="n2",role="compute"}': always(1),
        f'up{{{NODE},job="dcgm"}}': always(1),
        ACTIVE: always(1),
        "slurm_nodes{$c}": always(3),
        "slurm_nodes_powered_down{$c}": always(1),
        "slurm_nodes_down{$c}": always(0),
        "slurm_nodes_noresp{$c}": always(0),
    },
    KUBERNETES: {f'up{{{NODE},job="node"}}': always(1)},
}
HEALTHY = {**HEALTHY, OLD_SLURM: HEALTHY[SLURM], ADD_ON: {}}


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


def none(alert: str, name: str, series: Mapping[str, str], *at: int, cluster: str = SLURM) -> Case:
    """A case in which an alert that could be mistaken stays silent."""
    return Case(f"{alert}: {name}", series, dict.fromkeys(at, frozenset()), cluster, (alert,))


def xid_cases() -> Iterator[Case]:
    classes = {
        "GpuXidReplace": xids.REPLACE,
        "GpuXidReset": xids.RESET,
        "GpuXidDegraded": xids.DEGRADED,
        "GpuXidApplication": xids.APPLICATION,
        "GpuXidUnlisted": (8, 121, 7, 640),
    }
    for alert, members in classes.items():
        for xid in members:
            series = {f'DCGM_EXP_XID_ERRORS_COUNT{{{GPU},xid="{xid}"}}': steps((0, 5), last=1)}
            yield one(alert, series, 4, 6, name=f"Xid {xid}")
    # dcgm-exporter counts nothing for a GPU that is gone, and keeps its last error.
    yield one(
        "GpuXidReplace",
        {f"DCGM_FI_DEV_XID_ERRORS{{{GPU}}}": steps((13, 5), last=79)},
        4,
        6,
        name="Xid 79 as the last error",
    )


def sbe(*parts: tuple[float, int], last: float) -> Mapping[str, str]:
    return {f"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{{{GPU}}}": grows(*parts, last=last)}


def nvlink(**changed: str) -> Mapping[str, str]:
    kinds = {"RECOVERY": always(0), "REPLAY": always(0), "CRC_DATA": always(0)}
    kinds["CRC_FLIT"] = always(0)
    name = "DCGM_FI_DEV_NVLINK_{}_ERROR_COUNT_TOTAL{{{}}}"
    return {name.format(kind, GPU): text for kind, text in {**kinds, **changed}.items()}


def devices(metric: str, label: str, count: int, missing_from: int) -> Mapping[str, str]:
    """`count` devices of a node; the last one is gone from some minute on."""
    made = {f'{metric}{{{NODE},{label}="{i}"}}': always(60) for i in range(count - 1)}
    return {**made, f'{metric}{{{NODE},{label}="{count - 1}"}}': until(missing_from, 60)}


def gpu_cases() -> Iterator[Case]:
    dcgm = "DCGM_FI_DEV_{}{{{}}}".format
    yield one("GpuEccDoubleBit", {dcgm("ECC_DBE_VOL_TOTAL", GPU): steps((0, 10), last=1)}, 9, 12)
    rising = "GpuEccSingleBitRising"
    yield one(rising, sbe((9 / 60, 120), last=26 / 60), 119, 179)
    yield none(rising, "few", sbe((1 / 60, 120), last=17 / 60), 179)
    yield none(rising, "many but steady", sbe((18 / 60, 120), last=30 / 60), 179)
    yield one("GpuRowRemapFailed", {dcgm("ROW_REMAP_FAILURE", GPU): steps((0, 5), last=1)}, 4, 6)
    remapped = {dcgm("UNCORRECTABLE_REMAPPED_ROWS", GPU): steps((2, 5), last=3)}
    yield one("GpuRowRemapped", remapped, 4, 6)
    yield one("GpuNvlinkErrors", nvlink(REPLAY=grows((0, 10), last=1)), 13, 18)
    yield one(
        "GpuNvlinkErrors", nvlink(RECOVERY=grows((0, 10), last=1)), 13, 18, name="NVLink recovers"
    )
    for kind in ("CRC_DATA", "CRC_FLIT"):
        errors = nvlink(**{kind: grows((90 * 60, 15), last=110 * 60)})
        yield one("GpuNvlinkCrc", errors, 26, 36, name=f"NVLink {kind}")
    heat = {dcgm("THERMAL_VIOLATION", GPU): grows((0.045 * 60e9, 10), last=0.055 * 60e9)}
    yield one("GpuSlowedByHeat", heat, 21, 26)
    power = {dcgm("POWER_VIOLATION", GPU): grows((0.45 * 60e9, 10), last=0.55 * 60e9)}
    yield one("GpuSlowedByPower", power, 40, 48)
    for temperature, limit in (("GPU_TEMP", 88), ("MEMORY_TEMP", 95)):
        hot = {dcgm(temperature, GPU): steps((limit - 1, 5), last=limit + 1)}
        yield one("GpuHot", hot, 9, 12, name=f"{temperature} above {limit}")
    yield from exporter_cases()
    expected = {f"clustergen_expected_gpus{{{NODE}}}": always(8)}
    seven = devices("DCGM_FI_DEV_GPU_TEMP", "gpu", 8, missing_from=5)
    yield one("GpuMissing", {**expected, **seven}, 9, 12)
    mig = {f'DCGM_FI_DEV_GPU_TEMP{{{GPU},GPU_I_ID="{i}"}}': always(60) for i in range(7)}
    one_gpu = {f"clustergen_expected_gpus{{{NODE}}}": always(1)}
    yield none("GpuMissing", "one GPU in seven parts", {**one_gpu, **mig}, 20)
    yield one("GpuMetricsAbsent", expected, 8, 12, name="no GPU of the cluster reports")
    other = {f'DCGM_FI_DEV_GPU_TEMP{{$c,node="n2",gpu="{i}"}}': always(60) for i in range(8)}
    yield one("GpuMissing", {**expected, **other}, 4, 7, name="no GPU of one node reports")


def exporter_cases() -> Iterator[Case]:
    """A node without what the exporter of GPUs needs is not asked for its metrics."""
    expected = {f"clustergen_expected_gpus{{{NODE}}}": always(8)}
    other = {f'DCGM_FI_DEV_GPU_TEMP{{$c,node="n2",gpu="{i}"}}': always(60) for i in range(8)}
    bare = {**expected, f'up{{{NODE},job="dcgm"}}': f"_x{LONG * 4}"}
    yield one("GpuExporterMissing", bare, 28, 32)
    yield none("GpuMetricsAbsent", "no node has an exporter", bare, 25)
    yield none("GpuMissing", "the node has no exporter", {**bare, **other}, 25)


def efa(counter: str, values: str, device: str = "rdmap0") -> Mapping[str, str]:
    return {f'node_amazonefa_{counter}{{{NODE},device="{device}",port="1"}}': values}


def efa_cases() -> Iterator[Case]:
    def again(packets: float, before: float, after: float) -> Mapping[str, str]:
        sent = efa("tx_pkts", grows(last=packets * 60))
        return {
            **sent,
            **efa("retrans_pkts", grows((packets * before * 60, 10), last=packets * after * 60)),
        }

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
    expected = {f"clustergen_expected_efa{{{NODE}}}": always(16)}
    missing = devices("node_amazonefa_tx_pkts", "device", 16, missing_from=5)
    yield one("EfaDeviceMissing", {**expected, **missing}, 9, 12)
    yield one("EfaDeviceMissing", expected, 4, 7, name="no EFA device at all")

    def rails(busy: float, before: float, after: float) -> Mapping[str, str]:
        quiet = grows((before * busy * 60, 10), last=after * busy * 60)
        return {
            **efa("tx_bytes", grows(last=busy * 60), "a"),
            **efa("tx_bytes", quiet, "b"),
        }

    yield one("EfaImbalance", rails(1.1e9, 0.13, 0.08), 24, 34)
    yield none("EfaImbalance", "little traffic", rails(0.9e9, 0.0, 0.0), 40)


def node_cases() -> Iterator[Case]:
    yield from due_cases()
    for job in ("node", "dcgm", "slurm", "neuron"):
        series = {f'up{{{NODE},job="{job}"}}': steps((1, 5), last=0)}
        yield one("ExporterDown", series, 9, 12, name=f"the exporter {job} is lost")
    other = {f'up{{{NODE},job="other"}}': always(0)}
    yield none("ExporterDown", "a job that is none", other, 20)
    silent = {f'up{{{NODE},job="node"}}': until(5), 'up{cluster="other",job="node"}': always(1)}
    yield one("MetricsAbsent", silent, 13, 16)
    root = f'{NODE},mountpoint="/",fstype="xfs"'
    disk = {
        f"node_filesystem_avail_bytes{{{root}}}": steps((11, 5), last=9),
        f"node_filesystem_size_bytes{{{root}}}": always(100),
    }
    yield one("NodeDiskFull", disk, 13, 17)
    killed = {f"node_vmstat_oom_kill{{{NODE}}}": steps((4, 5), last=5)}
    yield one("NodeOutOfMemory", killed, 4, 7)
    for sign in (1, -1):
        clock = {
            f"node_timex_offset_seconds{{{NODE}}}": steps((sign * 0.045, 5), last=sign * 0.055)
        }
        yield one("NodeClockWrong", clock, 13, 17, name=f"the clock is off by {sign * 0.055} s")


def due_cases() -> Iterator[Case]:
    """Nodes that slurmctld has powered down are not due for metrics, but may be due to run."""
    fewer, silent = "NodesFewerThanMinimum", "NodesNotMeasured"
    info = 'clustergen_node_info{$c,node="%s",role="compute"}'
    off = {"slurm_nodes_powered_down{$c}": steps((1, 5), last=2)}
    none_on = {"slurm_nodes_powered_down{$c}": steps((1, 5), last=3)}
    gone, none_left = {info % "n2": until(5)}, {info % node: until(5) for node in ("n1", "n2")}
    yield one(fewer, {**gone, **off}, 33, 37)
    yield one(fewer, {**none_left, **none_on}, 33, 37, name="no node of a group reports")
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
    down = {
        **gone,
        "slurm_nodes_down{$c}": steps((0, 5), last=1),
        "slurm_nodes_fail{$c}": always(0),
    }
    yield Case(
        "a node that is down is silent",
        down,
        {37: frozenset({fewer, "SlurmNodesDown"})},
        quiet=(silent,),
    )
    lost = {**gone, "slurm_nodes_noresp{$c}": steps((0, 5), last=1)}
    yield Case(
        "a node that does not answer is silent",
        lost,
        {37: frozenset({fewer, "SlurmNodesNotResponding"})},
        quiet=(silent,),
    )


def storage_cases() -> Iterator[Case]:
    def space(free: str, mount: str = "/fsx") -> Mapping[str, str]:
        where = f'{NODE},mountpoint="{mount}"'
        return {
            f"clustergen_mount_free_bytes{{{where}}}": free,
            f"clustergen_mount_size_bytes{{{where}}}": always(100e12),
        }

    def shrinks(start: float, per_hour: float) -> str:
        return f"{start * 1e12}-{per_hour * 1e12 / 60}x{LONG * 4}"

    fills = "FileSystemFillsUp"
    yield one("FileSystemAlmostFull", space(steps((11e12, 5), last=9e12)), 18, 22)
    yield one(fills, space(shrinks(28, 1.3)), 55, 65)
    yield none(fills, "slowly", space(shrinks(28, 1.1)), 65)
    yield none(fills, "much is left", space(shrinks(33, 1.6)), 70)
    second = {
        selector.replace('"n1"', '"n2"'): values
        for selector, values in space(shrinks(28, 1.3)).items()
    }
    yield Case(
        "a file system that two nodes see",
        {**space(shrinks(28, 1.3)), **second},
        {65: frozenset({fills})},
        counts={fills: 1},
    )
    ost = f'{NODE},filesystem="a",target="OST0000"'
    target = {
        f"clustergen_lustre_target_free_bytes{{{ost}}}": steps((55, 5), last=45),
        f"clustergen_lustre_target_size_bytes{{{ost}}}": always(1000),
    }
    yield one("LustreTargetAlmostFull", target, 18, 22)
    mounted = f'{NODE},mountpoint="/fsx"'
    present = {f"clustergen_mount_present{{{mounted}}}": steps((1, 5), last=0)}
    yield one("MountMissing", present, 8, 12)
    answers = {f"clustergen_mount_answers{{{mounted}}}": steps((1, 5), last=0)}
    yield one("MountHangs", answers, 8, 12)

    def messages(tcp: str, efa: str) -> Mapping[str, str]:
        name = 'clustergen_lnet_sent_messages_total{{{},net="{}"}}'.format
        return {name(NODE, "tcp"): tcp, name(NODE, "efa"): efa}

    client = {f"clustergen_expected_lustre_efa{{{NODE}}}": always(8)}
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
        yield one("SlurmNodesDown", series, 9, 12, name=broken)
    # Two nodes of the block count as down until it begins; a third one is down for another reason.
    early = {**state(nodes_fail=always(0)), ACTIVE: always(0)}
    two, three = state(nodes_down=always(2)), state(nodes_down=always(3))
    yield none("SlurmNodesDown", "before the block begins", {**early, **two}, 20)
    down = frozenset({"SlurmNodesDown"})
    yield Case("a node beside those of a block is down", {**early, **three}, {10: down})
    begins = {**early, **two, ACTIVE: steps((0, 20), last=1)}
    yield one("SlurmNodesDown", begins, 23, 27, name="nodes are down when the block has begun")
    silent = "SlurmNodesNotResponding"
    yield one(silent, state(nodes_noresp=steps((0, 5), last=1)), 13, 17)
    over = {ACTIVE: steps((1, 5), last=0), **state(nodes_noresp=steps((0, 5), last=2))}
    yield none(silent, "when the block has ended", over, 30)
    other = {**over, **state(nodes_noresp=steps((0, 5), last=3))}
    yield one(silent, other, 13, 17, name="a node beside those of a block does not answer")
    yield one("SlurmNodesDrained", state(nodes_drained=steps((0, 5), last=1)), 33, 37)

    def idle(nodes: int, powered_down: int, drained: int = 0) -> Mapping[str, str]:
        return state(
            nodes_idle=always(nodes),
            nodes_powered_down=always(powered_down),
            nodes_drained=always(drained),
        )

    waiting = state(jobs_pending=steps((0, 5), last=1))
    beside = "SlurmJobsWaitBesideIdleNodes"
    yield one(beside, {**waiting, **idle(3, 2)}, 33, 37, cluster=OLD_SLURM)
    off = {**waiting, **idle(3, 3)}
    yield none(beside, "they are powered down", off, 40, cluster=OLD_SLURM)
    yield from near_an_end(beside, {**waiting, **idle(3, 2)}, OLD_SLURM)

    def gpus(given: str) -> Mapping[str, str]:
        return {
            'slurm_node_gpus{$c,node="n1"}': always(100),
            'slurm_node_gpus_alloc{$c,node="n1"}': given,
        }

    beside = "SlurmJobsWaitBesideIdleGpus"
    pending, free = state(jobs_pending=always(3)), gpus(steps((76, 5), last=74))
    yield one(beside, {**pending, **idle(3, 2), **free}, 33, 37)
    yield from near_an_end(beside, {**pending, **idle(3, 2), **free}, SLURM)
    yield none(beside, "of nodes that are powered down", {**pending, **idle(3, 3), **free}, 40)
    nobody = {**state(jobs_pending=always(0)), **idle(3, 2), **gpus(always(0))}
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
    counts = {
        f"clustergen_reservation_available_instances{{{block}}}": steps((24, 5), last=26),
        f"clustergen_reservation_total_instances{{{block}}}": always(100),
    }
    active = {f"clustergen_reservation_active{{{block}}}": always(1)}
    yield one("ReservationUnused", {**active, **counts}, 33, 37)
    yield none("ReservationUnused", "it has not begun", counts, 40)
    fails = {f"clustergen_reservation_lookup_failed{{{block}}}": steps((0, 5), last=1)}
    yield one("ReservationLookupFails", fails, 33, 37)
    another = {'clustergen_reservation_lookup_failed{$c,node="login"}': always(0)}
    yield none("ReservationLookupFails", "another node knows", {**fails, **another}, 40)


def pipeline_cases() -> Iterator[Case]:
    others = {f'up{{$c,node="n{n}",job="node"}}': always(1) for n in (2, 3)}
    gaps = {f'up{{{NODE},job="node"}}': f"1x40 {'1 _ ' * LONG}"}
    yield one("MetricsIncomplete", {**others, **gaps}, 65, 75)
    few = {f'up{{{NODE},job="node"}}': f"1x40 {'1 1 1 _ ' * 30}"}
    yield none("MetricsIncomplete", "few", {**others, **few}, 90)
    new = {f'up{{{NODE},job="node"}}': f"_x29 {always(1)}"}
    yield none("MetricsIncomplete", "a new node", {**others, **new}, 45)
    gone = {f'up{{{NODE},job="node"}}': f"1x39 _x{LONG * 4}"}
    yield none("MetricsIncomplete", "a node that ended", {**others, **gone}, 49, 55, 60, 64, 69)
    back = {f'up{{{NODE},job="node"}}': f"1x39 _x12 1x{LONG * 4}"}
    yield none("MetricsIncomplete", "a node that was restarted", {**others, **back}, 60, 66, 72)
    for job in ("dcgm", "node"):
        slow = {f'scrape_duration_seconds{{{NODE},job="{job}"}}': steps((7.5, 5), last=8.5)}
        yield one("CollectionSlow", slow, 18, 22, name=f"the exporter {job} is slow")


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
    yield fires("KubernetesAcceleratorFaulty", faulty, 13, 17)

    def gpus(which: str, values: str) -> Mapping[str, str]:
        return {f'kube_node_status_{which}{{{NODE},resource="nvidia_com_gpu"}}': values}

    healthy = gpus("allocatable", steps((8, 5), last=7))
    unhealthy = {**gpus("capacity", always(8)), **healthy}
    yield fires("KubernetesGpusUnhealthy", unhealthy, 9, 12)
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

    requested = 'kube_pod_container_resource_requests{$c,pod="b",resource="nvidia_com_gpu"}'
    beside = {
        'kube_pod_status_phase{$c,pod="c",phase="Pending"}': always(1),
        requested: steps((76, 5), last=74),
        **gpus("allocatable", always(100)),
    }
    yield fires("KubernetesPodsWaitBesideIdleGpus", beside, 33, 37)
    nobody = {**beside, 'kube_pod_status_phase{$c,pod="c",phase="Pending"}': always(0)}
    yield none("KubernetesPodsWaitBesideIdleGpus", "nobody waits", nobody, 40, cluster=KUBERNETES)
    launches = "karpenter_cloudprovider_instance_launch_failures_total{$c}"
    yield fires("KarpenterLaunchesFail", {launches: grows((4.5 / 15, 15), last=6.5 / 15)}, 33, 45)
    interruption = 'karpenter_interruption_received_messages_total{$c,message_type="spot"}'
    yield fires("KarpenterInterruptions", {interruption: steps((2, 5), last=3)}, 4, 7)
    ignored = {interruption.replace("spot", "no_op"): grows(last=1)}
    yield none("KarpenterInterruptions", "of no interest", ignored, 20, cluster=KUBERNETES)


def kueue_cases() -> Iterator[Case]:
    queue = '$c,cluster_queue="q"'
    stuck = {f'kueue_pending_workloads{{{queue},status="inadmissible"}}': steps((0, 5), last=1)}
    status = f'kueue_cluster_queue_status{{{queue},status="%s"}}'
    active = {status % "active": always(1), status % "pending": always(0)}
    yield one("KueueWorkloadsWait", {**stuck, **active}, 63, 69, cluster=KUBERNETES)
    held = {status % "active": always(0), status % "pending": always(1)}
    # One alert says why.
    inactive = frozenset({"KueueQueueInactive"})
    wait = "KueueWorkloadsWait"
    yield Case("held", {**stuck, **held}, {70: inactive}, KUBERNETES, quiet=(wait,))
    held = {status % "active": always(0), status % "pending": steps((0, 5), last=1)}
    yield one("KueueQueueInactive", held, 63, 69, cluster=KUBERNETES)
    usual = {f'kueue_pending_workloads{{{queue},status="active"}}': always(3)}
    yield none("KueueWorkloadsWait", "in line", usual, 70, cluster=KUBERNETES)
    evicted = f'kueue_evicted_workloads_total{{{queue},reason="PodsReadyTimeout"}}'
    yield one(
        "KueueEvictions", {evicted: grows((4 / 60, 60), last=8 / 60)}, 62, 119, cluster=KUBERNETES
    )
    preempted = {evicted.replace("PodsReadyTimeout", "Preempted"): grows(last=1)}
    yield none("KueueEvictions", "preempted", preempted, 70, cluster=KUBERNETES)


def add_on_cases() -> Iterator[Case]:
    """HyperPod's add-on has labels of its own."""
    gpu = 'cluster_id="a1b2",Hostname="i-1",gpu="0"'
    bus = {f'DCGM_EXP_XID_ERRORS_COUNT{{{gpu},xid="79"}}': steps((0, 5), last=1)}
    yield one("GpuXidReplace", bus, 4, 6, cluster=ADD_ON, name="Xid 79 by the add-on")
    heat = {f"DCGM_FI_DEV_THERMAL_VIOLATION{{{gpu}}}": grows((0, 10), last=0.2 * 60e9)}
    yield one("GpuSlowedByHeat", heat, 10, 26, cluster=ADD_ON, name="heat by the add-on")


CASES: tuple[Case, ...] = (
    *(
        Case(f"healthy: {cluster}", {}, {5: frozenset(), 35: frozenset()}, cluster)
        for cluster in HEALTHY
    ),
    *xid_cases(),
    *gpu_cases(),
    *efa_cases(),
    *node_cases(),
    *storage_cases(),
    *slurm_cases(),
    *capacity_cases(),
    *pipeline_cases(),
    *kubernetes_cases(),
    *kueue_cases(),
    *add_on_cases(),
)
