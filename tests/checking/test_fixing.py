"""`check --fix`: files in, fixed files out."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clustergen.base.findings import Finding, Fix, Severity, put
from clustergen.checking import fixing
from clustergen.checking.compiler import Checked
from clustergen.checking.fixing import files
from clustergen.spec.source import read
from tests.support.commands import Run, runner
from tests.support.tables import flow

SPEC = """\
# our cluster
version: 1
name: My Cluster   # to be renamed
region: us-east-1
network: {zones: use1-az6}
node_groups:
  - name: h200
    instance_type: p5en.48xlarge
    coutn: 2  # both
storage: [{mount: fsx, type: fsx-lustre, size: 4800, throughput: 250}]
"""
SAFE = (
    SPEC.replace("My Cluster", "my-cluster")
    .replace("zones", "zone")
    .replace("coutn", "count")
    .replace("mount: fsx", "mount: /fsx")
)
UNSAFE = SAFE.replace("4800", "4800GiB")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `check` in a folder with the spec: exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(SPEC)
    return runner(capsys, "check")


def test_safe_fixes_are_written_and_the_rest_is_reported(run: Run) -> None:
    status, out, err = run("--fix", "a.yaml")
    assert Path("a.yaml").read_text() == SAFE
    assert status == 1
    assert out.startswith("error[SPC024]: 4800 has no unit\n")
    assert err.splitlines()[-1] == "4 fixed, 1 left; 1 more with --unsafe-fixes"
    assert "fixed a.yaml:5:11: SPC020 unknown key `zones`" in err.splitlines()


@pytest.mark.parametrize(
    "wrong",
    [
        "capacity: {capacity_block: cr-0a1b2c3d, spot: true}",  # which of both?
        "minCount: 1, maxCount: 8",  # both are like `count`
        "base: {instance_type: m7i.xlarge}",  # a little like `tags`
    ],
)
def test_a_guess_is_no_safe_fix(run: Run, wrong: str) -> None:
    group = "node_groups: [{name: h200, instance_type: p5en.48xlarge, %s}]\n"
    text = SPEC.partition("node_groups:")[0] + group % wrong
    Path("a.yaml").write_text(text)
    run("--fix", "a.yaml")
    assert wrong in Path("a.yaml").read_text()


def test_unsafe_fixes_need_an_option(run: Run) -> None:
    status, out, err = run("--fix", "--unsafe-fixes", "a.yaml")
    assert Path("a.yaml").read_text() == UNSAFE
    assert (status, out) == (0, "")
    assert err.splitlines()[-1] == "5 fixed, 0 left"
    assert run("--fix", "--unsafe-fixes", "a.yaml")[2].splitlines()[-1] == "0 fixed, 0 left"


def test_a_difference_writes_nothing(run: Run) -> None:
    status, out, err = run("--diff", "a.yaml")
    assert Path("a.yaml").read_text() == SPEC
    assert status == 1
    assert out.startswith("--- a.yaml\n+++ a.yaml\n@@ -1,10 +1,10 @@\n # our cluster\n")
    assert [line for line in out.splitlines()[3:] if line[0] in "+-"] == [
        *("-name: My Cluster   # to be renamed", "+name: my-cluster   # to be renamed"),
        *("-network: {zones: use1-az6}", "+network: {zone: use1-az6}"),
        *("-    coutn: 2  # both", "-" + SPEC.splitlines()[-1]),
        *("+    count: 2  # both", "+" + SAFE.splitlines()[-1]),
    ]
    assert "4 would be fixed, 1 left" in err


def test_a_difference_of_a_spec_without_fixes_is_empty(run: Run) -> None:
    Path("a.yaml").write_text(UNSAFE)
    assert run("--diff", "a.yaml")[:2] == (0, "")


def test_a_difference_masks_secrets(run: Run) -> None:
    Path("a.yaml").write_text(SPEC + "tags: {api_token: hunter2hunter2}\n")
    out = run("--diff", "a.yaml")[1]
    assert "zone: use1-az6" in out
    assert "hunter2" not in out


def test_standard_input_goes_to_standard_output(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(SPEC.encode())))
    status, out, err = run("--fix", "-")
    assert (status, out) == (1, SAFE)
    assert "error[SPC024]" in err


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_marks_line_ends_and_mode_are_kept(run: Run, mark: str, line_break: str) -> None:
    text = mark + SPEC.replace("\n", line_break).removesuffix(line_break)
    file = Path("a.yaml")
    file.write_bytes(text.encode())
    file.chmod(0o640)
    Path("link.yaml").symlink_to(file)
    run("--fix", "link.yaml")
    fixed = mark + SAFE.replace("\n", line_break).removesuffix(line_break)
    assert file.read_bytes() == fixed.encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert Path("link.yaml").is_symlink()
    assert sorted(path.name for path in Path().iterdir()) == ["a.yaml", "link.yaml"]


def test_a_file_that_cannot_be_written(run: Run) -> None:
    Path("a.yaml").chmod(0o444)
    status, out, _ = run("--fix", "a.yaml")
    assert status == 2
    assert "error[SPC057]: cannot write a.yaml: it is read-only" in out
    assert Path("a.yaml").read_text() == SPEC
    assert [path.name for path in Path().iterdir()] == ["a.yaml"]


def test_a_file_that_changes_in_the_meantime_stays(run: Run) -> None:
    (finding,) = files.write("a.yaml", b"before", b"after")
    assert "it changed in the meantime" in finding.message
    assert Path("a.yaml").read_text() == SPEC


def test_a_pipe_cannot_be_written(tmp_path: Path) -> None:
    (finding,) = files.write("/dev/null", b"", b"after")
    assert "it is not a regular file" in finding.message


def test_only_selected_findings_are_fixed(run: Run) -> None:
    run("--fix", "--select", "SPC020", "a.yaml")
    fixed = SPEC.replace("zones", "zone").replace("coutn", "count")
    assert Path("a.yaml").read_text() == fixed


def test_ignored_findings_are_not_fixed(run: Run) -> None:
    spec = UNSAFE.replace("{zone: use1-az6}", "{zone: use1-az6, ssh_from: [0.0.0.0/0]}")
    line = "network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}"
    ignored = spec.replace(line, f"{line}  # clustergen: ignore[NET013] because a firewall filters")
    Path("a.yaml").write_text(ignored)
    assert run("--fix", "--unsafe-fixes", "a.yaml")[0] == 0
    assert Path("a.yaml").read_text() == ignored


def test_each_file_of_a_spec_gets_its_fixes(run: Run) -> None:
    Path("over.yaml").write_text("{login: {instance_type: m7i.xlarge, cuont: 2}}\n")
    run("--fix", "a.yaml", "-f", "over.yaml", "--set", "tags.team=1")
    assert Path("a.yaml").read_text() == SAFE
    assert Path("over.yaml").read_text() == "{login: {instance_type: m7i.xlarge, count: 2}}\n"


def test_a_value_of_the_command_line_stays(run: Run) -> None:
    Path("a.yaml").write_text(UNSAFE)
    status, _, err = run("--fix", "a.yaml", "--set", "network.zones=use1-az6")
    assert status == 1
    assert Path("a.yaml").read_text() == UNSAFE
    assert err.splitlines()[-1] == "0 fixed, 1 left"


def test_the_clusters_of_a_project(run: Run) -> None:
    Path("clustergen.toml").write_text(
        '[clusters.a]\nfiles = ["a.yaml"]\n[clusters.b]\nfiles = ["a.yaml", "b.yaml"]\n'
    )
    Path("b.yaml").write_text("name: Other One\n")
    run("--fix", "--unsafe-fixes")
    assert Path("a.yaml").read_text() == UNSAFE
    assert Path("b.yaml").read_text() == "name: other-one\n"


@pytest.mark.parametrize("way", ["clusters", "folder"])
def test_only_what_is_named_changes_outside_of_the_project(run: Run, way: str) -> None:
    """Who fixes a cloned repository did not write its project file, and made none of its links."""
    elsewhere = Path.cwd().with_name(f"{Path.cwd().name}-elsewhere.yaml")
    elsewhere.write_text(SPEC)
    Path("specs").mkdir()
    Path("specs/link.yaml").symlink_to(elsewhere)
    if way == "clusters":
        Path("clustergen.toml").write_text(
            f"[clusters.a]\nfiles = ['../{elsewhere.name}']\n"
            "[clusters.b]\nfiles = ['specs/link.yaml']\n"
        )
    status, out, _ = run("--fix", *(["specs"] if way == "folder" else []))
    assert status != 0
    assert out.count("it is outside the project") == (2 if way == "clusters" else 1)
    assert "clustergen check --fix specs/link.yaml" in out
    assert elsewhere.read_text() == SPEC
    run("--fix", "specs/link.yaml")
    assert elsewhere.read_text() == SAFE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unsafe-fixes", "a.yaml"], "--unsafe-fixes needs --fix or --diff"),
        (["--fix", "--diff", "a.yaml"], "--diff changes no file; leave out --fix"),
        (["--fix", "-", "-"], "standard input can be read only once"),
    ],
)
def test_arguments_that_do_not_fit(run: Run, arguments: list[str], message: str) -> None:
    assert run(*arguments) == (2, "", f"clustergen: {message}\n")


def test_json_has_the_edits(run: Run) -> None:
    found = json.loads(run("--output", "json", "a.yaml")[1])["findings"]
    by_path = {".".join(map(str, each["path"])): each["fix"] for each in found}
    edit = {"file": "a.yaml", "line": 5, "column": 11, "end_line": 5, "end_column": 16}
    assert by_path["network.zones"] == {"safe": True, "edits": [{**edit, "text": "zone"}]}
    assert by_path["storage.0.size"]["safe"] is False


def test_sarif_has_the_fixes(run: Run) -> None:
    results = json.loads(run("--output", "sarif", "a.yaml")[1])["runs"][0]["results"]
    fixes = [each["fixes"][0] for each in results]
    assert fixes[1]["artifactChanges"] == flow("""
        - artifactLocation: {uri: a.yaml, uriBaseId: '%SRCROOT%'}
          replacements:
            - deletedRegion: {startLine: 5, startColumn: 11, endLine: 5, endColumn: 16}
              insertedContent: {text: zone}
    """)


# -- rounds -------------------------------------------------------------------------------------


def checker(rules: dict[Any, Any]) -> Any:
    """A check with one finding for each value of `a` in `rules`, whose fix writes another value."""

    def check(contents: Any) -> Checked:
        document, _ = read(["a"], contents=contents)
        assert document is not None
        value = document.data["a"]
        findings = [
            document.place(
                Finding("X", Severity.ERROR, f"{value}", ("a",), fix=Fix((put(("a",), new),)))
            )
            for new in rules.get(value, ())
        ]
        return Checked(None, {}, tuple(findings))

    return check


@pytest.mark.parametrize(
    ("rules", "after", "count"),
    [
        ({}, b"a: 1 # x", 0),
        ({1: [2]}, b"a: 2 # x", 1),
        ({1: [2], 2: [3]}, b"a: 3 # x", 2),
        ({1: [2, 2]}, b"a: 2 # x", 1),
        ({1: [2], 2: [1]}, b"a: 1 # x", 0),
        ({1: [2], 2: [3], 3: [2]}, b"a: 2 # x", 1),
        ({n: [n + 1] for n in range(100)}, b"a: 21 # x", 20),
    ],
)
def test_rounds(rules: dict[int, list[int]], after: bytes, count: int) -> None:
    fixed = fixing.fix({"a": b"a: 1 # x"}, checker(rules), wanted=lambda _: True)
    assert fixed.contents == {"a": after}
    assert len(fixed.findings) == count


def test_frozen_files_stay() -> None:
    check = checker({1: [2]})
    fixed = fixing.fix({"a": b"a: 1"}, check, wanted=lambda _: True, frozen={"a"})
    assert (fixed.contents, len(fixed.checked.findings)) == ({"a": b"a: 1"}, 1)


def test_a_shared_file_stays_if_another_cluster_needs_it_as_it_is(run: Run) -> None:
    Path("clustergen.toml").write_text(
        '[clusters.east]\nfiles = ["a.yaml", "zone.yaml"]\n'
        '[clusters.west]\nfiles = ["a.yaml", "zone.yaml", "west.yaml"]\n'
    )
    zone = "network: {zone: use1-az6} # both\n"
    Path("a.yaml").write_text(UNSAFE.replace("network: {zone: use1-az6}\n", ""))
    Path("zone.yaml").write_text(zone)
    Path("west.yaml").write_text("region: us-west-2\nsoftware: {os: ubuntu2104}\n")
    run("--fix", "--unsafe-fixes")
    assert Path("zone.yaml").read_text() == zone
    assert "ubuntu2404" in Path("west.yaml").read_text()
    run("--fix", "--unsafe-fixes", "west")
    assert "{zone: usw2-az" in Path("zone.yaml").read_text()


def test_the_project_file_is_fixed(run: Run) -> None:
    file = Path("clustergen.toml")
    file.write_text(
        '# ours\nstrict = false\n[ignore]\nK8S532 = "they end"  # soon\nNET013 = "a firewall"\n'
        '[clusters.a]\nfils = ["a.yaml"]\n'
    )
    file_with_ssh = UNSAFE.replace("use1-az6}", "use1-az6, ssh_from: [0.0.0.0/0]}")
    Path("a.yaml").write_text(file_with_ssh)
    run("--fix")
    assert file.read_text() == (
        '# ours\nstrict = false\n[ignore]\nNET013 = "a firewall"\n[clusters.a]\n'
        'files = ["a.yaml"]\n'
    )
    assert Path("a.yaml").read_text() == file_with_ssh


COMMENT = "# clustergen: ignore[{}] because of the firewall\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("region: us-east-1  " + COMMENT.format("NET013"), "region: us-east-1\n"),
        (COMMENT.format("NET013") + "region: us-east-1\n", "region: us-east-1\n"),
        (
            "region: us-east-1  # clustergen: ignore-file[NET013, SPC033] because we test\n",
            "region: us-east-1\n",
        ),
    ],
)
def test_ignore_comments_that_hide_nothing_are_removed(run: Run, before: str, after: str) -> None:
    Path("a.yaml").write_text(UNSAFE.replace("region: us-east-1\n", before))
    run("--fix", "--target", "pcs", "a.yaml")
    assert Path("a.yaml").read_text() == UNSAFE.replace("region: us-east-1\n", after)


def test_a_fix_that_is_an_error_for_another_target_is_left_out(run: Run) -> None:
    spec = UNSAFE.replace(
        "size: 4800GiB, throughput: 250",
        "existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}",
    )
    Path("a.yaml").write_text(spec)
    fix = ["--fix", "--unsafe-fixes", "--select", "STG053", "a.yaml"]
    run(*fix, "--target", "parallelcluster,pcs")
    assert Path("a.yaml").read_text() == spec
    run(*fix, "--target", "parallelcluster")
    assert Path("a.yaml").read_text() == spec.replace(", mount_name: abcdefgh", "")


def test_a_fix_that_another_one_would_outdate_waits(run: Run) -> None:
    """A group gets another name, and a queue: that queue has the new name."""
    group = "  - {name: '%s', instance_type: m7i.4xlarge, count: 1}\n"
    queue = "{name: train, node_groups: [h200]}"
    text = f"{UNSAFE}queues: [{queue}]\n".replace("storage", group % 9 + "storage")
    Path("a.yaml").write_text(text)
    run("--fix", "--unsafe-fixes", "--target", "pcs", "a.yaml")
    more = "{name: nodes-9, node_groups: [nodes-9]}"
    fixed = text.replace(group % 9, group % "nodes-9").replace(queue, f"{queue}, {more}")
    assert Path("a.yaml").read_text() == fixed


UNREAD = [
    ("name: 'llm  # ours\n", "name: 'llm'  # ours\n"),
    ('name: "llm\n', 'name: "llm"\n'),
    ("tags: {team: [a, b}\n", "tags: {team: [a, b]}\n"),
    ("tags: {team: a  # ours\n", "tags: {team: a}  # ours\n"),
    ("users: [{name: ann}\n  {name: bob}]\n", "users: [{name: ann},\n  {name: bob}]\n"),
    ("region: @east  # ours\n", "region: '@east'  # ours\n"),
    ("users:\n  -name: ann\n    uid: 2001\n", "users:\n  - name: ann\n    uid: 2001\n"),
    ("name: l\u202elm\x7f\n", "name: llm\n"),
    ("tags: {team: @a, b: c}\n", None),
    ("name: it's: mine\n", None),
]


@pytest.mark.parametrize(("text", "fixed"), UNREAD)
def test_text_that_is_not_yaml(run: Run, text: str, fixed: str | None, tmp_path: Path) -> None:
    """The rest of the spec is incomplete, which shows only once it can be read."""
    file = tmp_path / "a.yaml"
    file.write_text(f"version: 1\n{text}", encoding="utf-8")
    run("--fix", "--unsafe-fixes", "--select", "SPC002,SPC013", str(file))
    assert file.read_text(encoding="utf-8") == f"version: 1\n{fixed or text}"
