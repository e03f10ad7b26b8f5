"""What is still said of a spec that is wrong in form somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from clustergen import compiler
from clustergen.findings import Path as SpecPath

HEAD = "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
GROUP = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]\n"
NESTED = (
    "storage:\n"
    "- {mount: /bad, type: s3, bucket: my-bucket}\n"
    "- {mount: /a, type: efs}\n"
    "- {mount: /a/b, type: efs}\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The unknown key and the unknown type, in one run.
        (
            HEAD + "quees: []\nnode_groups: [{name: a, instance_type: p5en.48x, count: 1}]\n",
            [("SPC020", ("quees",)), ("CAP001", ("node_groups", 0, "instance_type"))],
        ),
        # An item of a list that is wrong does not move the ones behind it.
        (
            HEAD + GROUP + NESTED,
            [("SPC024", ("storage", 0, "bucket")), ("STG015", ("storage", 2, "mount"))],
        ),
        # Nothing is said of what was left out: the capacity is wrong in form, not "on-demand".
        (
            HEAD + "node_groups: [{name: a, instance_type: p6e-gb200.36xlarge, count: 9,"
            " capacity: capacity-block}]\n",
            [("SPC024", ("node_groups", 0, "capacity"))],
        ),
        # Without node groups there is no cluster to speak of.
        (HEAD + "node_groups: 3\n", [("SPC022", ("node_groups",))]),
    ],
    ids=["unknown key", "list item", "left out", "nothing left"],
)
def test_all_that_can_be_said(
    tmp_path: Path, text: str, expected: list[tuple[str, SpecPath]]
) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text(text)
    checked = compiler.check([spec])
    errors = [(f.code, f.path) for f in checked.findings if f.severity == "error"]
    assert errors == expected
    assert not checked.plans
