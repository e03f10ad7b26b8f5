"""Links to the page of a rule: they lead to what is published, and only there."""

import json
from collections.abc import Iterator

import pytest

from clustergen.base import documentation
from clustergen.base.findings import Rule, rule
from clustergen.checking import registry
from clustergen.commands.explain import as_text
from clustergen.output import sarif

SITE = {"Documentation": "https://docs.example.org/clustergen/"}
FSX004 = registry.by_code()["FSX004"]


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documentation, "addresses", lambda: SITE)


@pytest.fixture
def unpublished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documentation, "addresses", dict)


@pytest.mark.parametrize(
    ("urls", "page"),
    [
        (SITE, "https://docs.example.org/clustergen/rules/fsx004.html"),
        (
            {"Repository": "https://github.com/acme/clustergen"},
            "https://github.com/acme/clustergen/blob/HEAD/docs/rules/fsx.md#fsx004",
        ),
        ({"Repository": "https://git.example.org/clustergen"}, ""),
        ({}, ""),
    ],
)
def test_the_page_of_a_code(urls: dict[str, str], page: str) -> None:
    assert documentation.page_of("FSX004", urls) == page


def own_rule() -> Rule:
    def check(plan: object) -> Iterator[object]:
        yield plan

    return rule("ACM001", "t", why="w", source="https://wiki.example.org/1")(check)  # type: ignore[arg-type]


@pytest.mark.usefixtures("published")
def test_a_rule_of_a_project_has_no_page_of_ours() -> None:
    assert documentation.help_uri(own_rule()) == "https://wiki.example.org/1"


@pytest.mark.usefixtures("unpublished")
def test_without_a_site_a_rule_leads_to_its_source() -> None:
    assert documentation.help_uri(FSX004) == FSX004.source
    assert documentation.help_uri(registry.by_code()["BND001"]) == ""
    assert "Page:" not in as_text(FSX004)


@pytest.mark.usefixtures("published")
def test_explain_names_the_page() -> None:
    assert as_text(FSX004).endswith(f"Page: {documentation.help_uri(FSX004)}\n")


def rules_in_sarif() -> list[dict[str, object]]:
    rules = registry.by_code()
    findings = [rules[code].at((), "m") for code in ("FSX004", "BND001")]
    log = json.loads(sarif.render(findings, rules, False))
    return list(log["runs"][0]["tool"]["driver"]["rules"])


@pytest.mark.usefixtures("published")
def test_sarif_links_each_rule_to_its_page() -> None:
    bundle, size = rules_in_sarif()
    assert size["helpUri"] == "https://docs.example.org/clustergen/rules/fsx004.html"
    assert bundle["helpUri"] == "https://docs.example.org/clustergen/rules/bnd001.html"


@pytest.mark.usefixtures("unpublished")
def test_sarif_has_no_address_that_does_not_exist() -> None:
    bundle, size = rules_in_sarif()
    assert size["helpUri"] == FSX004.source
    assert "helpUri" not in bundle
    text = size["help"]
    assert isinstance(text, dict)
    assert FSX004.source in text["text"]
    assert f"```yaml\n{FSX004.bad.rstrip()}\n```" in text["markdown"]


def test_addresses_are_those_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    class Metadata:
        def get_all(self, _: str) -> list[str]:
            return ["Documentation, https://docs.example.org/a, b/"]

    documentation.addresses.cache_clear()
    monkeypatch.setattr("importlib.metadata.metadata", lambda _: Metadata())
    assert documentation.addresses() == {"Documentation": "https://docs.example.org/a, b/"}
    documentation.addresses.cache_clear()
