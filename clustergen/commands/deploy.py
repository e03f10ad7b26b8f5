"""``clustergen deploy``."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NoReturn

from clustergen.bundle import effects, manifest
from clustergen.commands.exit_status import FAILED, INTERRUPTED, OK, UsageError
from clustergen.deployment import actions, reading
from clustergen.deployment.batch import BatchCluster
from clustergen.deployment.cluster import Cluster
from clustergen.deployment.eks import EksCluster
from clustergen.deployment.existing_hyperpod import ExistingHyperPod
from clustergen.deployment.hyperpod import HyperPodCluster
from clustergen.deployment.hyperpod_eks import ExistingHyperPodOnEks, HyperPodOnEks
from clustergen.deployment.imagined import Imagined, Unused
from clustergen.deployment.kinds import Eks, HyperPod
from clustergen.deployment.parallelcluster import ParallelClusterCluster
from clustergen.deployment.pcs import PcsCluster
from clustergen.deployment.programs import Installed, Programs
from clustergen.deployment.run import SOFTWARE, Options, Run
from clustergen.deployment.screen import Lines, Screen, Text
from clustergen.deployment.world import Botocore, Clock, Stop, Transport, World


def hyperpod(run: Run) -> Cluster:
    """A HyperPod cluster with Slurm or in EKS, or groups in one that exists."""
    service = run.bundle.service
    joins = isinstance(service, HyperPod) and service.joins
    if isinstance(service, HyperPod) and service.eks:
        return ExistingHyperPodOnEks(run) if joins else HyperPodOnEks(run)
    return ExistingHyperPod(run) if joins else HyperPodCluster(run)


CLUSTERS: Final[Mapping[str, Callable[[Run], Cluster]]] = {
    "amazon-eks": EksCluster,
    "aws-batch": BatchCluster,
    "aws-parallelcluster": ParallelClusterCluster,
    "aws-pcs": PcsCluster,
    "hyperpod": hyperpod,
}
"""By the kind of service in ``bundle.json``."""


def run(args: argparse.Namespace) -> int:
    end_in_order()
    return deployed(args, Botocore, time)


def end_in_order() -> None:
    """Let signals that end the process act as Ctrl-C: a run first closes what it has opened."""
    # Windows has no SIGHUP; nohup ignores it.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: object) -> NoReturn:
    del frame
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def deployed(
    args: argparse.Namespace,
    connect: Callable[[str], Transport],
    clock: Clock,
    programs: Programs | None = None,
) -> int:
    """Perform the action in the arguments; ``connect`` makes what sends calls, from a region."""
    folder = Path(args.bundle)
    try:
        bundle = reading.read(folder)
    except reading.BadBundle as error:
        raise UsageError(str(error)) from None
    _check_files(folder)
    by_cdk = isinstance(bundle.service, Eks) and bundle.service.by_cdk
    if by_cdk and args.action not in actions.DAILY:
        raise UsageError(
            "the spec has targets.eks.install: stack, so the CDK deploys and deletes this cluster: "
            "README.md has the commands"
        )
    _check_daily(args)
    sources = (s for stack in bundle.stacks.values() for s in stack.parameters.values())
    if args.new_image and not any(source.image for source in sources):
        raise UsageError("--new-image has no effect: the spec or the service chooses all images")
    screen: Screen = Lines() if args.output == "json" else Text()
    found = programs or Installed()
    world = World(bundle.region, connect(bundle.region), screen, clock, found, args.wait)
    made = Run(bundle, folder, world, _options(args), _effects)
    return _performed(made, dry=args.dry_run)


def _check_daily(args: argparse.Namespace) -> None:
    """There is nothing to review about what runs, and what the bundle says concerns no node."""
    daily = args.action in actions.DAILY
    if daily and (args.plan or args.dry_run):
        raise UsageError(f"--{args.action} has no --plan and no --dry-run")
    if args.context and args.action not in SOFTWARE:
        raise UsageError("--context is for --install and --uninstall")
    if args.node and (not daily or args.action == "status"):
        raise UsageError("--node is for --login, --logs, --test, --drain and --replace")
    if args.action == "login" and args.output == "json":
        raise UsageError("--login gives the terminal to another program: leave out --output json")
    if args.action in ("drain", "replace") and not args.node:
        raise UsageError(f"--{args.action} needs --node: --status lists the nodes")


def _check_files(folder: Path) -> None:
    """A run that misses a file in the middle has changed something by then."""
    try:
        files = manifest.hashes_in(folder) or ()
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder / manifest.MANIFEST}: {error}; render the spec again") from None
    if lost := [path for path in files if not (folder / path).is_file()]:
        raise UsageError(f"{folder} lacks {', '.join(lost)}: render the spec again")


def _effects(path: str, old: str, new: str) -> Iterator[str]:
    """What a changed template does to what runs, other than in place."""
    for each in effects.effects({path: old}, {path: new}):
        if each.kind != "in-place":
            yield each.text


def _performed(run: Run, *, dry: bool) -> int:
    try:
        if dry:  # it asks nobody
            run.options = run.options.rehearsed()
            run.world.transport = run.world.clock = Imagined(run)
            run.world.programs = Unused()
        actions.perform(run, CLUSTERS[run.bundle.service.kind](run))
    except Stop as stop:
        run.note("\n".join([*stop.notes, f"clustergen: {stop}"]))
        return FAILED
    except KeyboardInterrupt:
        daily = run.options.action in actions.DAILY
        way = "see --status" if daily else "run the same command again to wait for it"
        run.note(f"Interrupted. What AWS has begun for {run.bundle.cluster} continues: {way}.")
        return INTERRUPTED
    return OK


def _answer(question: str) -> str:
    """What the user types; empty at the end of the input. Standard output is for answers."""
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def _options(args: argparse.Namespace) -> Options:
    allowed = [*args.allowed, *(["replaces-resource"] if args.allow_replacement else [])]
    asks = args.output == "text" and sys.stdin.isatty() and sys.stderr.isatty()
    return Options(
        action=args.action or "deploy",
        outputs=Path(args.outputs).absolute() if args.outputs else None,
        allowed=frozenset(allowed),
        new_image=args.new_image,
        yes=args.yes,
        asks=_answer if asks else None,
        plan=args.plan,
        context=args.context,
        node=args.node,
    )
