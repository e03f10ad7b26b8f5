"""Whatever stands in a text of the spec: it ends as text, or as a finding, never as a command."""

import json
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.base.findings import errors
from clustergen.bundle import renderer
from clustergen.checking import compiler
from clustergen.checking.compiler import Checked
from clustergen.plan import build
from clustergen.spec import parse, source
from tests.support.checking import EVERY_FIELD
from tests.validators.hyperpod import cluster_violations

SHFMT = str(Path(sysconfig.get_path("scripts"), "shfmt"))
TARGETS = ("hyperpod-slurm", "hyperpod-eks")
EKS_CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/platform"
QUOTED = "a 'b\" $(pwned) `pwned`; pwned & ${x:-$(pwned)} # \\"
HOSTILE = ("$(pwned)", QUOTED, "a\npwned\nEOF\npwned")


def every_field() -> Any:
    """The spec that has every field of the language, with what lets it be rendered."""
    text = EVERY_FIELD.read_text(encoding="utf-8")
    spec = yaml.safe_load(text)
    for script in spec["software"]["scripts"]:
        script["on"] = script.pop(True)  # PyYAML's reading of `on`
    spec["targets"]["hyperpod-eks"]["eks_cluster"] = EKS_CLUSTER
    for group in spec["node_groups"]:
        if isinstance(group["count"], dict):
            group["count"] = group["count"]["max"]
        if "taints" in group:
            group["health_checks"] = ["gpu"]
        if "mig" in group:
            group["mig"] = {"1g.18gb": 7}
        group.pop("slurm", None)  # no place in HyperPod for settings of one group's nodes
    # Permissions and an existing role exclude each other.
    spec["login"]["iam"] = {"role": spec["login"]["iam"]["role"]}
    spec["targets"]["hyperpod-eks"].get("auto_patching", {}).pop("idle_wait", None)
    return spec


def texts(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where texts stand in a spec, keys of free maps with a last step of `key:`."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if path and path[-1] in ("tags", "labels", "settings", "mig", "slurm"):
                yield (*path, f"key:{key}")
            yield from texts(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from texts(value, (*path, index))
    elif isinstance(node, str):
        yield path


def put(node: Any, path: tuple[str | int, ...], value: str) -> Any:
    """A copy of a spec with `value` at `path`."""
    step = path[0]
    if isinstance(step, str) and step.startswith("key:"):
        old = step.removeprefix("key:")
        return {(value if key == old else key): item for key, item in node.items()}
    if isinstance(node, list):
        return [inner(path, item, value) if n == step else item for n, item in enumerate(node)]
    return {**node, step: inner(path, node[step], value)}


def inner(path: tuple[str | int, ...], item: Any, value: str) -> Any:
    """What stands at the first step of `path` when `value` is put at its end."""
    return put(item, path[1:], value) if len(path) > 1 else value


def commands(script: str) -> Iterator[str]:
    """The first word of every command of a script, those in substitutions included.

    Raises `subprocess.CalledProcessError` where it is no script.
    """
    command = [SHFMT, "--to-json", "-ln", "bash"]
    done = subprocess.run(command, input=script.encode(), capture_output=True, check=True)
    yield from _called(json.loads(done.stdout))


def _called(node: Any) -> Iterator[str]:
    if isinstance(node, dict) and node.get("Type") == "CallExpr" and node.get("Args"):
        parts = node["Args"][0].get("Parts", [])
        yield "".join(str(part.get("Value", "")) for part in parts)
    inside = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for value in inside:
        yield from _called(value)


def without_overlays(spec: Any) -> Any:
    """A spec that takes half the time: an overlay has the whole document checked, twice."""
    kept = {
        name: {key: value for key, value in options.items() if key != "overlay"}
        for name, options in spec["targets"].items()
    }
    return {**spec, "targets": kept}


BASE = every_field()
PLAIN = without_overlays(BASE)
PATHS = sorted(texts(BASE), key=str)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
def test_a_value_is_never_a_command(path: tuple[str | int, ...], tmp_path: Path) -> None:
    base = BASE if "overlay" in path else PLAIN
    for value in HOSTILE:
        spec = put(base, path, value)
        if is_malformed(spec):
            continue  # it is rejected for every target
        checked = check(spec, tmp_path)
        rejected = {finding.target for finding in errors(checked.findings)}
        for target in TARGETS if "" not in rejected else ():
            if target not in rejected:
                files = {a.path: a.text for a in renderer.render(checked, target)}
                assert list(violations(files)) == []


def is_malformed(spec: Any) -> bool:
    """Whether the language rejects a spec; to compile it would look for other faults, too."""
    document, found = source.read_text(yaml.dump(spec, Dumper=yaml.CSafeDumper))
    if document is not None:
        read, found = parse(document)
        found += build.check(read) if read else []
    return bool(errors(found))


def check(spec: Any, folder: Path) -> Checked:
    file = folder / "cluster.yaml"
    file.write_text(yaml.dump(spec, Dumper=yaml.CSafeDumper), encoding="utf-8")
    return compiler.check([file], targets=TARGETS, allow_unsupported=True)


def violations(files: Mapping[str, str]) -> Iterator[str]:
    """Where a hostile text has become something else than text."""
    for name, text in files.items():
        if name.endswith((".sh", ".sbatch")) and "pwned" in text:
            yield from (f"{name}: {word}" for word in commands(text) if "pwned" in word)
        elif name.endswith(".json"):
            json.loads(text)
        elif name.endswith((".yaml", ".yml")):
            list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    yield from (found for found in cluster_violations(files, "us-east-1") if "pwned" in found)


def test_the_test_can_fail(tmp_path: Path) -> None:
    assert "pwned" in set(commands('echo "$(pwned)"\n'))
    assert "pwned" in set(commands("cat <<EOF\n$(pwned)\nEOF\n"))
    assert "pwned" not in set(commands("echo '$(pwned)'\ncat <<'EOF'\n$(pwned)\nEOF\n"))
    assert len(PATHS) > 120
    assert errors(check(BASE, tmp_path).findings) == []
