"""Runs what a deployment does in a cluster of Kubernetes, with the programs of a folder."""

import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.deployment import reading
from clustergen.deployment.kinds import Eks, HyperPod, NodesInEks
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.model import Bundle
from clustergen.deployment.programs import Ended, Installed, Told
from clustergen.deployment.run import Options, Run
from clustergen.deployment.screen import Text
from clustergen.deployment.software.hyperpod_chart import HyperPodInstallation
from clustergen.deployment.world import Stop, World
from tests.support.scripts import completed


@dataclass
class Clock:
    """Time that passes at once."""

    now: float = 0

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass(frozen=True, slots=True)
class Answers:
    """What AWS says of the cluster and of volumes; the file ``identity`` has the former."""

    here: Path

    def send(self, call: str, arguments: Mapping[str, Any]) -> Json:
        del arguments
        if call == "fsx:DescribeVolumes":
            return {"Volumes": [{"OntapConfiguration": {"JunctionPath": "/vol1/data"}}]}
        assert call == "eks:DescribeCluster"
        endpoint, _, data = (self.here / "identity").read_text().strip("\n").partition("\t")
        authority = {"certificateAuthority": {"data": data}}
        return {"cluster": {"status": "ACTIVE", "endpoint": endpoint, **authority}}

    def pages(self, call: str, arguments: Mapping[str, Any]) -> list[Json]:
        return [self.send(call, arguments)]


@dataclass(frozen=True, slots=True)
class Folder(Installed):
    """The programs of a folder; they know it as ``HERE``."""

    here: Path
    environment: Mapping[str, str]

    def has(self, name: str) -> bool:
        return (self.here / name).exists()

    def run(
        self, words: Sequence[str], folder: Path, more: Mapping[str, str], told: Told | None = None
    ) -> Ended:
        path = f"{self.here}{os.pathsep}/usr/bin:/bin"
        own = {"PATH": path, "HERE": str(self.here), "HOME": str(self.here), "GOGC": "off"}
        # `env` looks for the program in this PATH.
        done = completed(
            "/usr/bin/env", *words, cwd=folder, env={**own, **self.environment, **more}
        )
        if told:
            for line in (done.stdout + done.stderr).splitlines():
                told(line)
        return Ended(done.returncode, done.stdout, done.stderr)


def run_of(folder: Path, programs: Folder, options: Options) -> tuple[Run, io.StringIO]:
    """A run for the bundle in a folder, whose cluster has the name `fake`; and what it says."""
    bundle, said = replace(reading.read(folder), cluster="fake"), io.StringIO()
    world = World(bundle.region, Answers(programs.here), Text(said), Clock(), programs)
    return Run(bundle, folder, world, options), said


def performed(
    folder: Path, programs: Folder, act: Callable[[Kubernetes], None], options: Options
) -> CompletedProcess[str]:
    """How something ends that is done in the cluster of a bundle."""
    run, said = run_of(folder, programs, options)
    api, status = Kubernetes(run, getattr(run.bundle.service, "eks_cluster", "")), 0
    try:
        api.reach()
        act(api)
    except Stop as stop:
        run.note("\n".join([*stop.notes, f"clustergen: {stop}"]))
        status = 2
    return CompletedProcess((), status, "", said.getvalue())


def eks_of(bundle: Bundle) -> Eks | NodesInEks:
    """What a bundle says of its cluster of Kubernetes."""
    service = bundle.service
    found = service.eks if isinstance(service, HyperPod) else service
    assert isinstance(found, Eks | NodesInEks)
    return found


def chart_installed(folder: Path, programs: Folder) -> CompletedProcess[str]:
    """How the installation of HyperPod's chart ends."""

    def install(api: Kubernetes) -> None:
        eks = eks_of(api.run.bundle)
        assert isinstance(eks, NodesInEks)
        assert eks.chart
        HyperPodInstallation(api, eks.chart, eks.software, new=eks.creates).install()

    return performed(folder, programs, install, Options())
