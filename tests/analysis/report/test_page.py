"""What the page shows is what other commands say, and text of a spec is only ever text."""

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from clustergen import output, targets
from clustergen.analysis import compare, report
from clustergen.analysis.compare import view
from clustergen.analysis.plan import expand
from clustergen.analysis.report import Given, Page, cards
from clustergen.analysis.report.readme import blocks
from clustergen.base.findings import EXAMPLE_BASE
from clustergen.bundle import readme
from clustergen.checking import preflight
from clustergen.checking.compiler import Checked
from clustergen.output.blocks import Block, CodeBlock, Items, Line, Table
from clustergen.services import cost
from clustergen.services.cost import formatting
from clustergen.spec.source.nodes import dotted
from tests.analysis.report.test_readme import plain
from tests.support.checking import EXAMPLES, check, check_example

VOID = {"meta", "rect"}


class Elements(HTMLParser):
    """The elements and the text of a page; fails where they are not nested well."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.parts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        assert not [name for name in found if name.startswith("on") or name == "style"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    @property
    def text(self) -> str:
        return flat("".join(self.parts))


def flat(text: str) -> str:
    """Text without differences that HTML does not show."""
    return " ".join(text.split())


def lines(block: Block) -> Iterator[Line]:
    """All lines of a block."""
    match block:
        case Items():
            yield from block.lines
        case Table():
            yield from (cell for row in (block.header, *block.rows) for cell in row)
        case CodeBlock():
            yield block.text
        case _:
            yield block.line


def compared_of(checked: Checked, title: str = "base.yaml") -> compare.Comparison:
    return compare.compare(title, checked, [name for name in checked.targets if name])


def page_of(checked: Checked, title: str = "base.yaml") -> Page:
    compared = compared_of(checked, title)
    bundles = {name: report.bundle(f"out/a/{name}", (), "") for name in checked.targets}
    return report.page(Given(title, checked, compared, {}, bundles))


def elements(checked: Checked) -> Elements:
    return Elements(report.render(page_of(checked)))


SHOWN = ("p5en-capacity-block", "eks-karpenter", "hyperpod-training-plan", "every-field")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [name for name in SHOWN if name in EXAMPLES])
def test_the_page_has_what_other_commands_say(name: str) -> None:
    checked = check_example(name)
    found = elements(checked)
    text = found.text
    for finding in checked.findings:
        assert finding.code in text
        assert flat(finding.message).replace("`", "") in text
        assert not finding.span or output.order.place(finding.span) in text
    for target, plan in checked.plans.items():
        if checked.blocking(target):
            continue
        subject = readme.Subject(plan, targets.load(target), checklist=preflight.checklist(plan))
        sections = readme.sections(subject).items()
        said = [text for name, text in sections if name not in ("Cost", "Decided by default")]
        compared = compared_of(checked)
        shown = [*view.fits(compared), *view.differences(compared)]
        for block in (*shown, *(b for part in said for b in blocks(part))):
            for line in lines(block):
                assert flat(plain(line)) in text
        for path, (_, reason) in expand(checked, target).defaults.items():
            assert dotted(path) in text
            assert flat(reason) in text
        for part in cost.bill(plan, targets.load(target).fees).lines:
            assert flat(part.name) in text
            assert not part.counted or all(amount in text for amount in formatting.amounts(part))


def test_the_timetable_of_capacity() -> None:
    dates = "starts: 2026-12-01T11:30:00Z, ends: 2026-12-15T11:30:00Z"
    block = f"capacity: {{capacity_block: cr-0a1b2c3d4e5f67890, {dates}}}"
    text = EXAMPLE_BASE.replace("count: 2", f"count: 2, {block}")
    found = elements(check(text, target="pcs"))
    assert "pcs-timetable" in found.ids
    assert "Tue 2026-12-15 11:30 h200 capacity ends" in found.text


def test_links_inside_lead_somewhere_and_ids_are_unique() -> None:
    found = elements(check_example("p5en-capacity-block"))
    assert len(found.ids) == len(set(found.ids))
    inside = {link[1:] for link in found.links if link.startswith("#")}
    assert inside <= set(found.ids)
    assert all(link.startswith(("#", "https://")) for link in found.links)


HOSTILE = "<script>alert(1)</script>\" onload='x' {{ 7 * 7 }}"
BAD = f"""version: 1
name: a
region: us-east-1
network: {{zone: use1-az6}}
node_groups: [{{name: h200, instance_type: p5en.48xlarge, count: 2}}]
storage: [{{mount: "/{HOSTILE.replace('"', "")}", type: efs}}]  # {HOSTILE}
tags: {{"{HOSTILE.replace('"', "")}": 1}}
{HOSTILE.replace(":", "")}: 1
"""


def test_text_of_a_spec_is_only_ever_text() -> None:
    checked = check(BAD, target="pcs")
    html = report.render(page_of(checked, f"{HOSTILE}.yaml"))
    found = Elements(html)
    assert "script" not in found.tags
    assert "<script" not in html
    assert "{{ 7 * 7 }}" in found.text
    assert found.tags.count("style") == 1


def test_nothing_can_be_loaded_or_run() -> None:
    html = report.render(page_of(check_example("p5en-capacity-block")))
    assert "content=\"default-src 'none'; style-src 'sha256-" in html
    assert "url(" not in html
    assert "@import" not in html
    assert not {"script", "img", "link", "iframe", "object", "form"} & set(Elements(html).tags)


def test_secrets_are_masked() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ"
    text = BAD.partition("storage")[0] + f'users: [{{name: a, uid: 2001, ssh_key: "{key}"}}]\n'
    html = report.render(page_of(check(text, target="pcs")))
    assert "b3BlbnNzaC1rZXktdjEAAAAABG5v" not in html


def test_a_spec_that_cannot_be_read() -> None:
    found = elements(check("version: 1\nname: [\n"))
    assert "Findings" in found.text
    assert "base.yaml:" in found.text
    assert "At a glance" not in found.text


def test_the_network_cards_are_those_of_the_catalog() -> None:
    plan = check_example("p5en-capacity-block", "pcs").plans["pcs"]
    (found,) = cards.maps(plan)
    (group,) = plan.node_groups
    assert found.title == "p5en.48xlarge"
    assert [(run.first, run.last) for run in found.runs] == [(0, 0), (1, 15)]
    interfaces = sum(len(run.has) * (run.last - run.first + 1) for run in found.runs)
    assert interfaces == len(group.interfaces)
    assert found.runs[-1].last == group.type.cards[-1].index


MANY = ["version: 1", "name: many", "region: us-east-1", "network: {zone: use1-az6}"]
GROUPS = [f"g{n:02}" for n in range(50)]


def many() -> str:
    groups = (f"- {{name: {n}, instance_type: m7i.xlarge, count: {{max: 2}}}}" for n in GROUPS)
    queues = (f"- {{name: q{n}, node_groups: [{', '.join(GROUPS)}]}}" for n in GROUPS)
    return "\n".join((*MANY, "node_groups:", *groups, "queues:", *queues)) + "\n"


def test_long_tables_are_closed() -> None:
    html = report.render(page_of(check(many(), target="pcs")))
    assert html.count("<details") >= 3
    before = html.partition("<summary>AWS PCS: Queues: 50 rows")[0]
    assert before
    assert "qg49" not in before
