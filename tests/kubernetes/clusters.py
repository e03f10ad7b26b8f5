"""A cluster in which install.sh runs with the real kubectl, and an API that remembers."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.kubernetes.planned import files_of
from tests.oracles import placeholders
from tests.oracles.kubernetes import OUTPUTS
from tests.support import kubernetes_api
from tests.support.kubernetes_api import Api
from tests.support.kubernetes_tools import tool

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
      [[ -e $file && " $* " == *" --selector $(cat "$HERE/labels/$name") "* ]] || continue
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
_AWS = "#!/bin/bash\nprintf '%s\\t%s\\n' None /vol1/data\n"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster, and a folder with the programs that reach it."""

    api: Api
    here: Path

    def install(self, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run install.sh of the bundle of a spec, filled as deploy.sh fills it."""
        return self.run(files_of(text), "install.sh", *arguments)

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
        return self._bash(str(bundle / script), *arguments)

    def functions(self, script: str, calls: str) -> list[str]:
        """The lines that calls of the functions of a script print."""
        functions, _, _ = script.partition("\nwhile (($# > 0)); do\n")
        (self.here / "functions.sh").write_text(f"{functions}\n{calls}\n")
        done = self._bash(str(self.here / "functions.sh"))
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def _bash(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/bash", *arguments],
            env={
                "PATH": f"{self.here}{os.pathsep}/usr/bin:/bin",
                "HERE": str(self.here),
                "HOME": str(self.here),
                "KUBECTL": str(tool("kubectl")),
                "KUBECONFIG": str(self.here / "kubeconfig"),
            },
            capture_output=True,
            text=True,
            check=False,
        )

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
    if path.endswith(".sh"):
        return text
    names = placeholders.names_in(text)
    return placeholders.fill(text, {n: OUTPUTS.get(n) or placeholders.value_for(n) for n in names})


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """An empty cluster, for as long as the block lasts."""
    for name, text in {"helm": _HELM, "kubectl": _KUBECTL, "aws": _AWS}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    with kubernetes_api.running() as api:
        api.kubeconfig(folder / "kubeconfig")
        yield Cluster(api, folder)
