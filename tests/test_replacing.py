"""What `render` says of resources that the new bundle replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from clustergen import bundle, cli, renderer
from clustergen.artifacts import Artifact, Bundle
from clustergen.findings import EXAMPLE_BASE
from tests.checking import Fragments

FSX = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, efa: %s}]"
PLAIN = FSX % "false"


def rendered(text: str) -> Bundle:
    return renderer.render(Fragments("pcs").checked(text), "pcs")


CHANGES = [
    # Before, after, words of each line.
    (PLAIN, f"{PLAIN}\nslurm: {{idle_timeout: 20m}}", []),
    (PLAIN, f"{PLAIN}\nusers: [{{name: ann, uid: 2001}}]", []),
    (
        PLAIN,
        FSX % "true",
        ["replaces StorageFsx (SecurityGroupIds changes): the new file system is empty"],
    ),
    (
        PLAIN,
        PLAIN.replace("/fsx", "/data"),
        ["removes StorageFsx from the stack: the file system stays"],
    ),
    (
        f"{PLAIN}\nnetwork: {{zone: use1-az6}}",
        f"{PLAIN}\nnetwork: {{zone: use1-az5}}",
        [
            "replaces NatGateway (SubnetId changes)",
            "replaces PrivateSubnet (AvailabilityZoneId changes)",
            "replaces PublicSubnet (AvailabilityZoneId changes)",
            # By what it refers to, in its own template and in the foundation's.
            "replaces StorageFsx (SubnetIds changes): the new file system is empty",
            "replaces ControlPlaneSubnet1 (AvailabilityZoneId changes)",
            "replaces Cluster (Networking changes)",
            "replaces NodeGroupH200 (ClusterId changes)",
            "replaces QueueH200 (ClusterId changes)",
        ],
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES)
def test_each_replacement_has_a_line(
    before: str, after: str, expected: list[str], tmp_path: Path
) -> None:
    bundle.write(tmp_path / "out", rendered(before))
    lines = bundle.replaced(tmp_path / "out", rendered(after))
    assert len(lines) == len(expected), lines
    for words in expected:
        assert any(line.startswith(words) for line in lines), lines


def test_render_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.yaml"
    printed = []
    for efa in ("false", "true"):
        spec.write_text(f"{EXAMPLE_BASE}{FSX % efa}")
        cli.main(["render", str(spec), "--target", "pcs", "-o", str(tmp_path / "out")])
        printed.append(capsys.readouterr().out)
    assert "deploying it" not in printed[0]
    assert "pcs: deploying it replaces StorageFsx (SecurityGroupIds changes)" in printed[1]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"Resources": []}', '{"Resources": {"A": 1}}'])
def test_what_is_no_template_replaces_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "foundation.template.json").write_text(text)
    new = Artifact("foundation.template.json", '{"Resources": {"A": {"Type": "AWS::EC2::VPC"}}}')
    assert bundle.replaced(tmp_path, (new,)) == []
    assert bundle.replaced(tmp_path / "nothing", (new,)) == []
