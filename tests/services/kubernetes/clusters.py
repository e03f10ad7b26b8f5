"""A cluster in which install.sh runs with the real kubectl, and an API that remembers."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clustergen.deployment import reading
from clustergen.deployment.eks import EksCluster
from clustergen.deployment.programs import Ended, Installed, Told
from clustergen.deployment.run import Run
from clustergen.deployment.screen import Text
from clustergen.deployment.world import World
from tests.services.kubernetes.planned import files_of
from tests.support import kubernetes_api
from tests.support.kubernetes_api import KINDS, Api
from tests.support.kubernetes_tools import tool
from tests.support.outcomes import succeeded
from tests.support.scripts import completed, programs
from tests.validators import placeholders
from tests.validators.kubernetes import OUTPUTS

Json = dict[str, Any]
# Charts cannot be downloaded here: this remembers releases with their labels, as Helm does in the
# cluster, and creates the kinds of their objects. A plugin runs where its values say.
_HELM = """#!/bin/bash
printf 'helm %s\\n' "$*" >>"$HERE/calls"
mkdir -p "$HERE/releases" "$HERE/labels" "$HERE/made"
case $1 in
  upgrade)
    name=$3 chart=${4##*/} groups=null
    while (($# > 0)); do
      [[ $1 != --namespace ]] || printf '%s\\n' "$2" >"$HERE/releases/$name"
      [[ $1 != --labels ]] || printf '%s\\n' "$2" >"$HERE/labels/$name"
      [[ $1 != --set-json ]] || groups=${2#*=}
      shift
    done
    [[ -e $HERE/$chart.yaml ]] || exit 0
    sed "s/RELEASE/$name/; s#NAMESPACE#$(cat "$HERE/releases/$name")#; s/GROUPS/$groups/" \\
      "$HERE/$chart.yaml" >"$HERE/made/$name"
    "$KUBECTL" apply --server-side -f "$HERE/made/$name" ;;
  list)
    for file in "$HERE/releases"/*; do
      name=${file##*/}
      [[ -e $file ]] || continue
      label=$(cat "$HERE/labels/$name")
      case " $* " in
        *" --selector managed-by!=${label#managed-by=} "*) continue ;;
        *' --selector managed-by!='* | *" --selector $label "*) ;;
        *) continue ;;
      esac
      [[ " $* " != *' --filter '* || " $* " == *" --filter ^$name\\$ "* ]] || continue
      printf '%s\\t%s\\t1\\tdeployed\\n' "$name" "$(cat "$file")"
    done ;;
  uninstall)
    rm "$HERE/releases/$2"
    [[ ! -e $HERE/made/$2 ]] || "$KUBECTL" delete --ignore-not-found -f "$HERE/made/$2" ;;
esac
"""
_KUBECTL = """#!/bin/bash
printf 'kubectl %s\\n' "$*" >>"$HERE/calls"
exec "$KUBECTL" "$@"
"""
_AWS = """#!/bin/bash
case $* in
  *update-kubeconfig*) cp "$HERE/kubeconfig" "${@: -1}" ;;
  *describe-cluster*) cat "$HERE/identity" ;;
  *) printf '%s\\t%s\\n' None /vol1/data ;;
esac
"""


@dataclass
class Clock:
    """Time that passes at once."""

    now: float = 0

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass(frozen=True, slots=True)
class Reaching(Installed):
    """The programs of a cluster's folder."""

    cluster: Cluster

    def has(self, name: str) -> bool:
        return (self.cluster.here / name).exists()

    def run(
        self, words: Sequence[str], folder: Path, more: Mapping[str, str], told: Told | None = None
    ) -> Ended:
        environment = {**self.cluster.environment("kubeconfig"), **more}
        # `env` looks for the program in this PATH.
        done = completed("/usr/bin/env", *words, cwd=folder, env=environment)
        return Ended(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster, and a folder with the programs that reach it."""

    api: Api
    here: Path

    def install(self, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run install.sh of the bundle of a spec, filled as deploy.sh fills it."""
        return self.run(files_of(text), "install.sh", *arguments)

    def put(self, resource: str, name: str, item: Json, space: str = "") -> Json:
        """Something that others make in the cluster: what is there of it beside its head."""
        plural, _, group = resource.partition(".")
        kinds = {(g, each): (version, kind) for (g, version, kind), each in KINDS.items()}
        version, kind = kinds[group, plural]
        head = {"apiVersion": f"{group}/{version}".strip("/"), "kind": kind}
        metadata = {"name": name, **({"namespace": space} if space else {})}
        made = {**head, **item, "metadata": {**item.get("metadata", {}), **metadata}}
        self.api.objects[resource, space, name] = made
        return made

    def run(
        self, files: Mapping[str, str], script: str, *arguments: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of a bundle, filled as deploy.sh fills it."""
        bundle = self.here / "bundle"
        shutil.rmtree(bundle, ignore_errors=True)
        for path, content in files.items():
            for folder, made in ((bundle, content), (bundle / ".filled", _filled(path, content))):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(made)
        (self.here / "calls").write_text("")
        # The current context is that of another cluster, which does not even answer.
        return self._bash(str(bundle / script), *arguments, kubeconfig="another")

    def functions(self, script: str, calls: str) -> list[str]:
        """The lines that calls of the functions of a script print."""
        functions, _, _ = script.partition("\nwhile (($# > 0)); do\n")
        (self.here / "functions.sh").write_text(f"{functions}\n{calls}\n")
        done = self._bash(str(self.here / "functions.sh"))
        succeeded(done)
        return done.stdout.splitlines()

    def engine(self, files: Mapping[str, str]) -> EksCluster:
        """What `clustergen deploy` does in this cluster for a bundle, which has its name."""
        folder = self.here / "bundle"
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
        (folder / ".filled").mkdir(exist_ok=True)
        shutil.copy(self.here / "kubeconfig", folder / ".filled" / "kubeconfig")
        bundle = replace(reading.read(folder), cluster="fake")
        nobody: Any = None
        world = World(bundle.region, nobody, Text(io.StringIO()), Clock(), Reaching(self))
        return EksCluster(Run(bundle, folder, world))

    def _bash(
        self, *arguments: str, kubeconfig: str = "kubeconfig"
    ) -> subprocess.CompletedProcess[str]:
        return completed("/bin/bash", *arguments, env=self.environment(kubeconfig))

    def environment(self, kubeconfig: str) -> dict[str, str]:
        return {
            "PATH": f"{self.here}{os.pathsep}/usr/bin:/bin",
            "HERE": str(self.here),
            "HOME": str(self.here),
            "KUBECTL": str(tool("kubectl")),
            "GOGC": "off",  # programs of a second need no collection of garbage
            "KUBECONFIG": str(self.here / kubeconfig),
        }

    @property
    def releases(self) -> set[str]:
        return {path.name for path in (self.here / "releases").iterdir()}

    def release(self, name: str, namespace: str, label: str) -> None:
        """Note a release of Helm that exists from before, with what it made in ``made/NAME``."""
        for folder, text in (("releases", namespace), ("labels", label)):
            (self.here / folder).mkdir(exist_ok=True)
            (self.here / folder / name).write_text(f"{text}\n")

    @property
    def calls(self) -> list[str]:
        return (self.here / "calls").read_text().splitlines()


def _filled(path: str, text: str) -> str:
    unfilled = path.endswith((".sh", ".template.json"))
    return text if unfilled else placeholders.fill(text, OUTPUTS)


def install(cluster: Cluster, text: str, *arguments: str) -> str:
    """What install.sh prints when it succeeds."""
    return succeeded(cluster.install(text, *arguments))


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """An empty cluster, for as long as the block lasts."""
    programs(folder, {"helm": _HELM, "kubectl": _KUBECTL, "aws": _AWS})
    with kubernetes_api.running() as api:
        api.kubeconfig(folder / "kubeconfig")
        yield Cluster(api, folder)
