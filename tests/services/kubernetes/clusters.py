"""A cluster that bundles are installed in with the real kubectl, and an API that remembers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clustergen.deployment import filling
from clustergen.deployment.eks import EksCluster
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.run import Options
from clustergen.deployment.software.installation import Installation
from tests.support import kubernetes_api
from tests.support.checking import Fragments
from tests.support.installing import Folder, eks_of, performed, run_of
from tests.support.kubernetes_api import KINDS, Api
from tests.support.kubernetes_tools import tool
from tests.support.outcomes import succeeded
from tests.support.scripts import programs
from tests.validators import placeholders
from tests.validators.kubernetes import OUTPUTS

Json = dict[str, Any]
BUNDLES = Fragments("eks")
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
    found=
    for file in "$HERE/releases"/*; do
      name=${file##*/}
      [[ -e $file ]] || continue
      label=$(cat "$HERE/labels/$name")
      case " $* " in
        *" --selector managed-by!=${label#managed-by=} "*) continue ;;
        *' --selector managed-by!='* | *" --selector $label "*) ;;
        *' --selector '* | *' --pending '*) continue ;;
      esac
      found+=${found:+,}$(printf '{"name":"%s","namespace":"%s"}' "$name" "$(cat "$file")")
    done
    printf '[%s]\\n' "$found" ;;
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
cp "$HERE/kubeconfig" "${@: -1}"
"""
_ACTS = {
    "--check": Installation.check,
    "--prune": Installation.prune,
    "--remove": Installation.remove,
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster, and a folder with the programs that reach it."""

    api: Api
    here: Path

    def install(self, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What a deployment does in the cluster for the bundle of a spec."""
        return self.run(BUNDLES.files(text), *arguments)

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

    def run(self, files: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
        """What a deployment of these files does in the cluster, once all stacks are there.

        ``arguments`` may say what else to do; and they have options of ``clustergen deploy``.
        """
        (self.here / "calls").write_text("")
        act = next((act for word, act in _ACTS.items() if word in arguments), Installation.install)
        words = [*arguments, "", ""]
        context = words[words.index("--context") + 1] if "--context" in words else ""
        allowed = ["replaces-resource"] if "--allow-replacement" in arguments else []

        def install(api: Kubernetes) -> None:
            act(Installation(api, eks_of(api.run.bundle).software, outputs_of(files)))

        options = Options(allowed=allowed, context=context)
        return performed(self.write(files), self.programs, install, options)

    def write(self, files: Mapping[str, str]) -> Path:
        """The folder with these files alone."""
        folder = self.here / "bundle"
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
        return folder

    def engine(self, files: Mapping[str, str]) -> EksCluster:
        """What `clustergen deploy` does in this cluster for a bundle."""
        run, _ = run_of(self.write(files), self.programs, Options())
        (run.folder / ".filled").mkdir(exist_ok=True)
        shutil.copy(self.here / "kubeconfig", run.folder / ".filled" / "kubeconfig")
        return EksCluster(run)

    @property
    def programs(self) -> Folder:
        config = str(self.here / "kubeconfig")
        return Folder(self.here, {"KUBECTL": str(tool("kubectl")), "KUBECONFIG": config})

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


def outputs_of(files: Mapping[str, str]) -> dict[str, str]:
    """A value for each output that the files need."""
    inside = [text for path, text in files.items() if path.startswith(("values/", "manifests/"))]
    names = filling.names(" ".join(inside))
    return {name: placeholders.fill(f"${{{name}}}", OUTPUTS) for name in names}


def install(cluster: Cluster, text: str, *arguments: str) -> str:
    """What a deployment says that succeeds."""
    return succeeded(cluster.install(text, *arguments))


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """An empty cluster, for as long as the block lasts."""
    programs(folder, {"helm": _HELM, "kubectl": _KUBECTL, "aws": _AWS})
    with kubernetes_api.running() as api:
        api.kubeconfig(folder / "kubeconfig")
        yield Cluster(api, folder)
