"""Comments that ignore findings, and the codes of ``--ignore``."""

import pytest

from clustergen.checking import compiler
from tests.support.checking import check

OPEN = "network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}"
CLOSED = "network: {zone: use1-az6}"
GROUP = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]"
WHY = "because a firewall filters it"


def text(*lines: str) -> str:
    return "\n".join(["version: 1", "name: example", "region: us-east-1", *lines, ""])


def found(*texts: str, target: str = "") -> list[tuple[str, int]]:
    """The code and line of every finding."""
    findings = check(*texts, target=target).findings
    return [(finding.code, finding.span.line if finding.span else 0) for finding in findings]


def test_without_a_comment() -> None:
    assert found(text(OPEN, GROUP)) == [("NET013", 4)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([f"{OPEN}  # clustergen: ignore[NET013] {WHY}"], id="on the line"),
        pytest.param([f"# clustergen: ignore[NET013] {WHY}", OPEN], id="above"),
        pytest.param(
            [f"# clustergen: ignore[NET013] {WHY}", "", "# the office", OPEN], id="further above"
        ),
        pytest.param([OPEN, f"# clustergen: ignore-file[NET013] {WHY}"], id="the whole spec"),
        pytest.param([f"{OPEN}  # clustergen:ignore[NET013]: {WHY}"], id="without a space"),
    ],
)
def test_a_comment_ignores(lines: list[str]) -> None:
    assert found(text(*lines, GROUP)) == []


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        # No reason, no brackets, another code, another word.
        (f"{OPEN}  # clustergen: ignore[NET013]", ["NET013", "SPC054"]),
        (f"{OPEN}  # clustergen: ignore NET013 {WHY}", ["NET013", "SPC053"]),
        (f"{OPEN}  # clustergen: ignore[NET099] {WHY}", ["NET013", "SPC055"]),
        (f"{OPEN}  # clustergen: ignored by us", ["NET013", "SPC053"]),
        # Nothing to ignore, and prose.
        (f"# clustergen: ignore[NET013] {WHY}\n{CLOSED}", ["SPC055"]),
        (f"{OPEN}  # clustergen is ignorant", ["NET013"]),
    ],
)
def test_what_is_wrong_with_a_comment(lines: str, codes: list[str]) -> None:
    assert found(text(lines, GROUP)) == [(code, 4) for code in codes]


def test_a_comment_in_an_overlaid_file_counts() -> None:
    over = f"network: {{ssh_from: [0.0.0.0/0]}}  # clustergen: ignore[NET013] {WHY}\n"
    assert found(text(CLOSED, GROUP), over) == []


def test_an_error_stays() -> None:
    wrong = GROUP.replace("p5en.48xlarge", "p5en.47xlarge")
    comment = "  # clustergen: ignore[CAP001, NET013] because it worked before"
    codes = [code for code, _ in found(text(CLOSED, wrong + comment))]
    assert "SPC056" in codes
    assert len(codes) > 1
    assert "SPC055" not in codes


def test_a_code_that_no_rule_has() -> None:
    (finding,) = check(text(f"{CLOSED}  # clustergen: ignore[NET099] {WHY}", GROUP)).findings
    assert (finding.code, finding.message) == ("SPC055", "no finding has the code NET099")
    assert finding.help


def test_rules_of_other_targets_may_still_be_needed() -> None:
    """A check for some of the targets does not know whether the others need the comment."""
    queue = "queues: [{name: train, node_groups: [h200], time_limit: 7d}]"
    lines = text(
        CLOSED,
        GROUP,
        f"{queue}  # clustergen: ignore[K8S532] because jobs end by themselves",
        "targets: {pcs: {}, eks: {}}",
    )
    for target in ("", "pcs", "eks"):
        assert not {"K8S532", "SPC055"} & {code for code, _ in found(lines, target=target)}
    alone = lines.replace("eks: {}", "")
    assert "SPC055" in {code for code, _ in found(alone)}


def test_codes_from_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    spec = tmp_path_factory.mktemp("spec") / "spec.yaml"
    spec.write_text(text(OPEN, GROUP.replace("p5en.48xlarge", "p5en.47xlarge")), encoding="utf-8")
    every = {finding.code for finding in compiler.check([spec]).findings}
    some = {finding.code for finding in compiler.check([spec], ignore=["NET"]).findings}
    assert every - some == {"NET013"}
    errors = {f.code for f in compiler.check([spec], ignore=["NET", "CAP", "SPC"]).findings}
    assert errors == some
