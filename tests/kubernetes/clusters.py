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
# cluster, and creates the kinds of their objects.
_HELM = """#!/bin/bash
printf 'helm %s\\n' "$*" >>"$HERE/calls"
mkdir -p "$HERE/releases" "$HERE/labels"
case $1 in
  upgrade)
    name=$3
    while (($# > 0)); do
      [[ $1 != --namespace ]] || printf '%s\\n' "$2" >"$HERE/releases/$name"
      [[ $1 != --labels ]] || printf '%s\\n' "$2" >"$HERE/labels/$name"
      shift
    done
    [[ ! -e $HERE/$name.yaml ]] || "$KUBECTL" apply --server-side -f "$HERE/$name.yaml" ;;
  list)
    [[ " $* " != *' --pending '* ]] || exit 0
    for file in "$HERE/releases"/*; do
      [[ -e $file && " $* " == *" --selector $(cat "$HERE/labels/${file##*/}") "* ]] || continue
      printf '%s\\t%s\\t1\\tdeployed\\n' "${file##*/}" "$(cat "$file")"
    done ;;
  uninstall)
    rm "$HERE/releases/$2"
    [[ ! -e $HERE/$2.yaml ]] || "$KUBECTL" delete --ignore-not-found -f "$HERE/$2.yaml" ;;
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
        return subprocess.run(
            ["/bin/bash", str(bundle / script), *arguments],
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
