"""The diagram of a cluster: what it shows, and that it is well-formed whatever the names are."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import resvg_py

from clustergen import targets
from clustergen.analysis import graph
from clustergen.analysis.graph import Box
from clustergen.base.findings import EXAMPLE_BASE
from clustergen.checking import compiler
from clustergen.cli import main
from tests.support.checking import EXAMPLES, check

SVG = "{http://www.w3.org/2000/svg}"


def boxes(text: str, target: str = "pcs") -> Box:
    plan = check(text, target=target).plans[target]
    return graph.diagram(plan, targets.load(target))


def words(box: Box) -> str:
    return " ".join(" ".join((each.title, *each.lines)) for each in box.all())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_node_group_and_mount_is_shown(name: str) -> None:
    checked = compiler.check([EXAMPLES[name]], targets=targets.NAMES)
    for target, plan in checked.plans.items():
        box = graph.diagram(plan, targets.load(target))
        titles = [each.title for each in box.all()]
        shown = {group.name for group in plan.node_groups} | {item.mount for item in plan.storage}
        if len(plan.node_groups) <= 8:
            assert shown <= set(titles)
        for title in ("head node", "login nodes", "system nodes"):
            there = {"head": plan.head, "logi": plan.login, "syst": plan.system}[title[:4]]
            assert titles.count(title) == bool(there), (target, title)
        root = ElementTree.fromstring(graph.render("svg", box))
        drawn = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
        for group in plan.node_groups:
            assert group.type.name in drawn


MANY = """version: 1
name: many
region: us-east-1
network: {zone: use1-az6}
node_groups:
%s
queues:
%s
"""


def test_fifty_groups_stay_readable() -> None:
    groups = "\n".join(
        f"  - {{name: group{n:02}, instance_type: {type}, count: {{min: 0, max: 2}}}}"
        for n, type in enumerate(["m7i.xlarge", "c7i.xlarge"] * 25)
    )
    queues = "\n".join(f"  - {{name: q{n:02}, node_groups: [group{n:02}]}}" for n in range(50))
    box = boxes(MANY % (groups, queues), "parallelcluster")
    assert len(list(box.all())) < 20
    assert "25 node groups 0 to 50 x m7i.xlarge" in words(box)
    assert "and 42 more queues" in words(box)
    root = ElementTree.fromstring(graph.render("svg", box))
    assert float(root.attrib["height"]) < 1200


def test_boxes_inside_do_not_overlap_or_stick_out() -> None:
    text = EXAMPLES["p5en-capacity-block"].read_text(encoding="utf-8")
    root = ElementTree.fromstring(graph.render("svg", boxes(text)))
    sides = [
        tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        for rect in root.iter(f"{SVG}rect")
    ]
    for number, (x, y, width, height) in enumerate(sides):
        for x2, y2, width2, height2 in sides[number + 1 :]:
            apart = x2 >= x + width or x >= x2 + width2 or y2 >= y + height or y >= y2 + height2
            inside = x2 > x and y2 > y and x2 + width2 < x + width and y2 + height2 < y + height
            assert apart or inside


@pytest.mark.parametrize(
    ("more", "endpoint"),
    [("", "private API"), ("public_endpoint_from: [203.0.113.0/24]", "public and private API")],
)
def test_endpoints(more: str, endpoint: str) -> None:
    text = EXAMPLE_BASE + f"kubernetes: {{{more}}}\n"
    eks = boxes(text, "eks")
    assert f" {endpoint} endpoint " in words(eks)
    assert "S3 gateway endpoint" in words(eks)
    existing = "network: {vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d], zone: use1-az6}"
    pcs = boxes(re.sub("network: .*", existing, EXAMPLE_BASE))
    assert "endpoint" not in words(pcs)


def test_a_note_marks_what_changes() -> None:
    text = EXAMPLE_BASE + "storage: [{mount: /work, type: efs}]\n"
    noted = boxes(text).noted({"/work": "deploying: replaces resource", "NAT gateway": "no"})
    (changed,) = [box for box in noted.all() if box.changed]
    assert (changed.title, changed.lines[-1]) == ("/work", "deploying: replaces resource")


def test_a_screen_reader_has_the_whole_picture() -> None:
    text = EXAMPLES["p5en-capacity-block"].read_text(encoding="utf-8")
    root = ElementTree.fromstring(graph.render("svg", boxes(text)))
    assert root.attrib["role"] == "img"
    described = root.findtext(f"{SVG}desc") or ""
    assert "64 x p5en.48xlarge" in described
    assert "/fsx" in described


@pytest.mark.parametrize("format", graph.FORMATS)
def test_hostile_text(format: str) -> None:
    """Text that a spec may hold: mounts and tags of others' files."""
    hostile = '<script>"&amp;]] \x1b`#;-- end'
    box = Box("region", hostile, (hostile,), (Box("nodes", hostile),))
    text = graph.render(format, box)
    assert "<script" not in text
    assert "\x1b" not in text
    if format == "svg":
        root = ElementTree.fromstring(text)
        assert (root.findtext(f"{SVG}title") or "").startswith('<script>"&amp;]]')


def test_mermaid() -> None:
    text = EXAMPLES["eks-karpenter"].read_text(encoding="utf-8")
    lines = graph.render("mermaid", boxes(text, "eks")).splitlines()
    assert lines[0] == "flowchart TB"
    assert sum("subgraph" in line for line in lines) == sum(line.strip() == "end" for line in lines)
    assert any("0 to 16 x g6e.12xlarge or g6.12xlarge" in line for line in lines)


def test_endpoints_take_the_place_of_nat() -> None:
    text = """version: 1
name: closed
region: us-east-1
network: {zone: use1-az6, internet: %s}
software: {containers: none}
node_groups: [{name: nodes, instance_type: m7i.4xlarge, count: 1}]
targets: {pcs: {}}
"""
    open, closed = (words(boxes(text % internet)) for internet in ("nat", "none"))
    assert "NAT gateway" in open
    assert "Interface endpoints" not in open
    assert "NAT" not in closed
    assert "Public subnet" not in closed
    assert "Interface endpoints ec2messages, logs, pcs, ssm ssmmessages" in closed


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES["p5en-capacity-block"])
    assert main(["graph", spec, "--target", "pcs"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("<svg ")
    assert main(["graph", spec, "--target", "pcs"]) == 0
    assert capsys.readouterr().out == first
    assert main(["graph", spec, "--output", "mermaid"]) == 0
    assert capsys.readouterr().out.startswith("flowchart TB\n")
    assert main(["graph", spec, "--target", "pcs,eks"]) == 2
    broken = tmp_path / "a.yaml"
    broken.write_text("version: 1\n", encoding="utf-8")
    assert main(["graph", str(broken)]) == 1


def test_a_viewer_reads_it() -> None:
    """resvg: a second reader of SVG besides the XML parser."""
    text = EXAMPLES["p5en-capacity-block"].read_text(encoding="utf-8")
    document = graph.render("svg", boxes(text))
    drawn = resvg_py.svg_to_bytes(svg_string=document, skip_system_fonts=True)
    assert drawn.startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="sgv"):
        resvg_py.svg_to_bytes(svg_string=document.replace("<svg", "<sgv", 1))
