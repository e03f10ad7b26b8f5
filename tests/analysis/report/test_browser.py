"""The page in Chromium: as readers with different screens, keyboards, printers and aids meet it."""

from pathlib import Path
from typing import Any

import pytest

from clustergen.analysis import report
from clustergen.checking import compiler
from clustergen.services.cost import formatting
from tests.analysis.report.test_page import BAD, many, page_of
from tests.support.checking import EXAMPLES, check
from tests.support.tiers import needs
from tests.validators import browser
from tests.validators.browser import Visit

pytestmark = needs(browser.missing)

VISITS = {
    "wide": Visit("full.html", keys=True),
    "dark and narrow": Visit("full.html", width=360, dark=True),
    "printed": Visit("full.html", dark=True, print=True),
    "large": Visit("many.html", width=360),
    "hostile": Visit("bad.html", dark=True),
}
FULL = compiler.check([EXAMPLES["p5en-capacity-block"]], targets=["pcs", "eks"])


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What each visit finds."""
    folder = tmp_path_factory.mktemp("pages")
    pages = {
        "full.html": FULL,
        "many.html": check(many(), target="parallelcluster"),
        "bad.html": check(BAD, target="pcs"),
    }
    for name, checked in pages.items():
        (folder / name).write_text(report.render(page_of(checked)), encoding="utf-8")
    visits = [Visit(**{**vars(v), "page": str(folder / v.page)}) for v in VISITS.values()]
    return dict(zip(VISITS, browser.visit(visits), strict=True))


@pytest.mark.parametrize("name", VISITS)
def test_nothing_is_wrong(found: dict[str, dict[str, Any]], name: str) -> None:
    """No message in the console, nothing loaded, no obstacle, no sideways scrolling."""
    visited = found[name]
    assert visited["messages"] == []
    assert [Path(url).suffix for url in visited["requests"]] == [".html"]
    assert visited["violations"] == []
    assert not visited["overflows"]
    assert visited["levels"][:2] == [1, 2]


def test_the_colours_follow_the_reader(found: dict[str, dict[str, Any]]) -> None:
    text, page = found["wide"]["colours"]
    assert found["dark and narrow"]["colours"] == ["rgb(230, 237, 243)", "rgb(13, 17, 23)"]
    assert (text, page) == ("rgb(27, 31, 36)", "rgb(255, 255, 255)")
    assert found["printed"]["colours"] == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]


def test_the_keyboard_reaches_everything_in_reading_order(found: dict[str, dict[str, Any]]) -> None:
    tabs = found["wide"]["tabs"]
    places = [tab["place"] for tab in tabs]
    assert len(places) > 40
    assert places == sorted(set(places))
    assert all(tab["seen"] for tab in tabs)


def test_print_has_what_is_closed_on_the_screen(found: dict[str, dict[str, Any]]) -> None:
    wide, printed = found["wide"]["shown"], found["printed"]["shown"]
    closed = "slurm.idle_timeout"
    assert closed not in wide
    assert closed in printed
    for heading in ("Findings", "Network cards", "Storage", "Queues", "Quotas", "Cost", "Bundle"):
        assert f"\n{heading}\n" in printed
    assert found["printed"]["pdf"] == "%PDF-"


def test_what_readers_see_is_the_plan(found: dict[str, dict[str, Any]]) -> None:
    shown = found["wide"]["shown"]
    plan = FULL.plans["pcs"]
    for group in plan.node_groups:
        assert f"{group.max}\t{group.type.name}" in shown
    for item in plan.storage:
        assert f"\n{item.mount}\t" in shown
    for service in page_of(FULL).services:
        assert service.standing.bill
        assert formatting.amounts(service.standing.bill)[0] in shown


def test_a_large_cluster_stays_readable(found: dict[str, dict[str, Any]]) -> None:
    visited = found["large"]
    assert "qg49" in visited["text"]
    assert "qg49" not in visited["shown"]


def test_hostile_text_is_shown(found: dict[str, dict[str, Any]]) -> None:
    assert "<script>alert(1)</script>" in found["hostile"]["shown"]
