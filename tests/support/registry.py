"""Public registries and a private one with a memory, for mirror.sh: Helm is the real one."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support.installing import Folder, chart_installed
from tests.support.kubernetes_tools import tool
from tests.support.scripts import completed

AWS = """#!/usr/bin/env bash
printf 'aws %s\\n' "$*" >>"$HERE/calls"
[[ ${AWS_PAGER-less} == '' ]] || exit 1
case "$*" in
  *get-login-password*) echo secret ;;
  *describe-repositories*) grep -qxF "${@: -1}" "$HERE/repositories" 2>/dev/null ;;
  *create-repository*)
    echo "${@: -1}" >>"$HERE/repositories"
    echo '{"repository": {}}'
    ;;
esac
"""
SKOPEO = """#!/usr/bin/env bash
printf 'skopeo %s\\n' "$*" >>"$HERE/calls"
case $1 in
  login) cat >/dev/null ;;
  inspect) grep -qxF "${@: -1}" "$HERE/pushed" 2>/dev/null ;;
  copy)
    if [[ -s $HERE/failures ]]; then
      sed -i 1d "$HERE/failures"
      exit 1
    fi
    target=${@: -1}
    repository=${target#docker://*/}
    grep -qxF "${repository%:*}" "$HERE/repositories" || exit 1
    echo "$target" >>"$HERE/pushed"
    ;;
esac
"""
HELM_PROGRAM = """#!/usr/bin/env bash
printf 'helm %s\\n' "$*" >>"$HERE/calls"
case $1 in
  registry) cat >/dev/null ;;
  pull)
    if [[ " $* " == *" --untar "* ]]; then
      grep -qxF "docker://${2#oci://}:$4" "$HERE/pushed" || exit 1
      mkdir -p "${@: -1}" && tar xzf "$HERE/registry/${2##*/}-$4.tgz" -C "${@: -1}"
    else
      cp "$HERE/published/${2##*/}-$4.tgz" "$6/"
    fi
    ;;
  push)
    chart=$("$REAL_HELM" show chart "$2")
    name=$(awk '/^name:/ { print $2 }' <<<"$chart")
    version=$(awk '/^version:/ { print $2 }' <<<"$chart")
    mkdir -p "$HERE/registry" && cp "$2" "$HERE/registry/$name-$version.tgz"
    echo "docker://${3#oci://}/$name:$version" >>"$HERE/pushed"
    ;;
  show) grep -qxF "docker://${3#oci://}:$5" "$HERE/pushed" ;;
  dependency)
    if [[ -s $HERE/failures ]]; then
      sed -i 1d "$HERE/failures"
      exit 1
    fi
    exec "$REAL_HELM" "$@"
    ;;
  list) ;;
  upgrade) exec "$REAL_HELM" template "${@:3}" >"$HERE/installed.yaml" ;;
  *) exec "$REAL_HELM" "$@" ;;
esac
"""


class Place:
    """A bundle, public registries, and a registry with a memory."""

    def __init__(
        self, folder: Path, files: Mapping[str, str], programs: Mapping[str, str] | None = None
    ) -> None:
        self.here = folder
        self.render(files)
        (folder / "published").mkdir()
        (folder / "bin").mkdir()
        own = {"aws": AWS, "skopeo": SKOPEO, "helm": HELM_PROGRAM, "sleep": "#!/bin/sh\n"}
        for name, program in {**own, **(programs or {})}.items():
            (folder / "bin" / name).write_text(program)
            (folder / "bin" / name).chmod(0o755)

    def render(self, files: Mapping[str, str]) -> None:
        """Write a bundle over what is there."""
        for path, content in files.items():
            made = self.here / "bundle" / path
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(content)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run mirror.sh."""
        (self.here / "calls").write_text("")
        environment = {
            "PATH": f"{self.here / 'bin'}:/usr/bin:/bin",
            "HOME": os.environ.get("HOME", "/"),
            "GOGC": "off",  # programs of a second need no collection of garbage
            **self._environment,
        }
        return completed("bash", "bundle/mirror.sh", *arguments, cwd=self.here, env=environment)

    def install(self) -> subprocess.CompletedProcess[str]:
        """Install HyperPod's chart."""
        (self.here / "calls").write_text("")
        return chart_installed(self.here / "bundle", Folder(self.here / "bin", self._environment))

    @property
    def _environment(self) -> dict[str, str]:
        own = {"HERE": str(self.here), "REAL_HELM": str(tool("helm"))}
        return {**own, "AWS_PAGER": ""}

    @property
    def pushed(self) -> set[str]:
        made = self.here / "pushed"
        return set(made.read_text().split()) if made.exists() else set()

    def calls(self, word: str) -> list[str]:
        return [call for call in (self.here / "calls").read_text().splitlines() if word in call]
