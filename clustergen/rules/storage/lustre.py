"""FSx for Lustre: deployments, throughputs and sizes."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rule, unsafe, unwanted
from clustergen.facts.catalog.fsx import (
    INTELLIGENT_TIERING_MBPS,
    LUSTRE,
    LustreClass,
    Steps,
    Storage,
    lustre_class,
)
from clustergen.plan import fsx
from clustergen.plan.model import Lustre, Plan
from clustergen.plan.storage_kinds import either, listed, new, spelled, title


@rule(
    "FSX001",
    "Lustre deployment without this storage class",
    why="Each deployment type is built on certain media: hdd is persistent-1 only, "
    "intelligent-tiering persistent-2 only, scratch is ssd.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: persistent-2, storage_class: hdd, size: 6000GiB}""",
)
def storage_class(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        if lustre_class(item.deployment, item.storage_class) is None:
            media = spelled(item.storage_class)
            having = [spelled(c.deployment) for c in LUSTRE if c.storage == item.storage_class]
            yield Problem(
                item.at("storage_class"),
                f"{spelled(item.deployment)} has no {media}",
                help=f"deployments with {media}: {listed(having)}",
                fix=unsafe(put(item.at("deployment"), having[0])) if having else None,
            )


@rule(
    "FSX002",
    "Invalid throughput tier",
    why="FSx for Lustre offers throughput per TiB in a few tiers, and with intelligent-tiering in "
    "steps of 4,000 MB/s of the file system.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-throughput-capacity.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 300}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}]",
)
def throughput(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        kind = lustre_class(item.deployment, item.storage_class)
        if kind is None or item.throughput is None or _allowed(kind, item.throughput):
            continue
        nearest, all_of_them = _nearest(kind, item.throughput)
        yield Problem(
            item.at("throughput"),
            f"{item.throughput} is not a throughput of a {title(item)} file system",
            help=f"nearest: {either(nearest)}; available: {all_of_them}",
            fix=unsafe(put(item.at("throughput"), nearest[-1])),
        )


def _allowed(kind: LustreClass, throughput: int) -> bool:
    if kind.storage is Storage.INTELLIGENT_TIERING:
        return INTELLIGENT_TIERING_MBPS.allows(throughput)
    # Scratch has no choice of tiers: FSX003.
    return not kind.throughputs or throughput in kind.throughputs


def _nearest(kind: LustreClass, throughput: int) -> tuple[tuple[int, ...], str]:
    if kind.storage is Storage.INTELLIGENT_TIERING:
        steps = INTELLIGENT_TIERING_MBPS
        every = f"every multiple of {steps.step:,} MB/s up to {steps.most:,}"
        return fsx.around(steps, throughput), every
    return fsx.beside(kind.throughputs, throughput), f"{listed(kind.throughputs)} MB/s per TiB"


@rule(
    "FSX003",
    "Throughput of a scratch file system",
    why="Scratch file systems have 200 MB/s per TiB; the API rejects PerUnitStorageThroughput.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, deployment: scratch-2, throughput: 250}]",
)
def scratch_throughput(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        if item.deployment.startswith("SCRATCH") and item.throughput is not None:
            yield unwanted(
                item.at("throughput"),
                f"{spelled(item.deployment)} has no throughput setting",
                help="remove throughput, or write deployment: persistent-2",
            )


@rule(
    "FSX004",
    "Invalid size of a Lustre file system",
    why="A file system grows by whole storage servers. How much one holds depends on deployment "
    "type, media and throughput, and with EFA it is much more.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250, efa: true}]",
)
def size(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        kind = lustre_class(item.deployment, item.storage_class)
        steps = kind.sizes(item.throughput, efa=item.efa) if kind else None
        # Without steps, the combination or the throughput is invalid, which is another finding.
        if kind and steps and item.size_gib is not None and not steps.allows(item.size_gib):
            yield Problem(
                item.at("size"),
                f"{item.size_gib}GiB is not a size for {_which(item, kind)}",
                help=_sizes(item, kind, steps, item.size_gib),
                fix=unsafe(put(item.at("size"), f"{fsx.around(steps, item.size_gib)[-1]}GiB")),
            )


def _which(item: Lustre, kind: LustreClass) -> str:
    if item.efa:
        return f"an EFA-enabled file system at {item.throughput} MB/s/TiB"
    at = f" at {item.throughput} MB/s/TiB" if None not in kind.capacity else ""
    return f"a {title(item)} file system{at}"


def _sizes(item: Lustre, kind: LustreClass, steps: Steps, size: int) -> str:
    """The nearest sizes, the increments, and throughputs that allow this size."""
    small = "".join(f"{one}GiB, " for one in steps.small)
    help = (
        f"nearest: {either(fsx.around(steps, size), 'GiB')} ({small}multiples of {steps.step}GiB)"
    )
    others = [t for t in kind.throughputs if t != item.throughput]
    fitting = [t for t in others if (s := kind.sizes(t, efa=item.efa)) and s.allows(size)]
    return f"{help}; it is one at throughput: {either(fitting)}" if fitting else help


@rule(
    "FSX013",
    "Size with intelligent-tiering",
    why="Intelligent-tiering grows with what is stored, and bills that; the API rejects "
    "StorageCapacity.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/intelligent-tiering-file-systems.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, storage_class: intelligent-tiering, size: 4800GiB}""",
)
def tiering_size(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        if item.storage_class == "INTELLIGENT_TIERING" and item.size_gib is not None:
            yield unwanted(
                item.at("size"),
                "a file system with intelligent-tiering has no size",
                help="remove size; only throughput is provisioned",
            )
