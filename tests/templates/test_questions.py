"""No script takes a failed question for an answer."""

import re
import subprocess
from collections.abc import Iterator

import pytest

from clustergen.base.shell import environment
from tests.support.paths import TEMPLATES

_NAMES = r"aws|pcluster|kubectl|helm|kube|sagemaker|pcs|batch|\"\$@\" get"
_PROGRAM = rf"(?:run )?(?:timeout \d+ )?(?:{_NAMES})"
_BEFORE = r"^|[;&|({!]|\bAWS_\w+=\S+|\bif|\buntil|\bwhile|\bthen|=\$\("
_CALL = re.compile(rf"(?:{_BEFORE})\s*{_PROGRAM} [-a-z\"$]")
_ASK = re.compile(r"\bask (?:aws|pcluster)\b")
_SWALLOWS = re.compile(
    r"2>\s*/dev/null|&>\s*/dev/null|\|\|\s*(?:true|:|\w+=|return 0|continue|exit 0|return\b)"
)
_JINJA = re.compile(r"{#.*?#}|{%.*?%}", re.DOTALL)
_CONDITION = re.compile(rf"(?:\bif|\buntil|\bwhile)\s+!?\s*(?:\w+=\$\()?{_PROGRAM} ")


def commands(text: str) -> Iterator[str]:
    """Logical lines of a script without comments and what is only printed."""
    for line in re.sub(r"\\\n\s*", "", _JINJA.sub("", text)).split("\n"):
        plain = line.strip()
        if plain and not plain.startswith(("#", "note ", "fail ", "say ", "echo ")):
            yield plain


def swallowed(text: str) -> Iterator[str]:
    for line in commands(text):
        if _ASK.search(line):
            continue
        if _CONDITION.search(line) or (_CALL.search(line) and _SWALLOWS.search(line)):
            yield line


ALLOWED = {
    # A node sends no metrics until the next try; nothing is deleted.
    'text=$(timeout 120 aws s3 cp --only-show-errors "s3://${bucket:-}/$1" -)',
    "found=$(timeout 120 aws pcs get-cluster",
    # The last table that could be read stays in force.
    'if timeout 60 aws s3 cp --only-show-errors "$(<"$FOLDER/source")"',
}


def test_no_failed_question_is_an_answer() -> None:
    found = [
        line
        for path in sorted(TEMPLATES.rglob("*.j2"))
        for line in swallowed(path.read_text(encoding="utf-8"))
    ]
    assert [line for line in found if not any(each in line for each in ALLOWED)] == []
    assert [each for each in ALLOWED if not any(each in line for line in found)] == []


@pytest.mark.parametrize(
    "line",
    [
        "found=$(aws sagemaker list-clusters 2>/dev/null || true)",
        'AWS_MAX_ATTEMPTS=2 aws sagemaker "$@" --output text 2>/dev/null || true',
        "if ! found=$(aws sagemaker list-clusters); then",
        "kubectl get nodes \\\n  --output name || return 0",
    ],
)
def test_swallowed_failures_are_seen(line: str) -> None:
    assert len([*swallowed(line)]) == 1


FAILURES = [
    "An error occurred (ResourceNotFoundException) when calling X: none",
    "An error occurred (AccessDeniedException) when calling X: no",
    'Connect timeout on endpoint URL: "https://sts"',
    "An error occurred (ThrottlingException) when calling X: Rate exceeded",
    "An error occurred (ExpiredToken) when calling X: expired",
    "Unable to locate credentials",
    "An error occurred (SomethingNew) when calling X: ?",
]
_FRAME = """{% include "shared/commands.sh.j2" %}
{% include "batch/ask.sh.j2" %}
sleep() { true; }
aws() { echo "$SAID" >&2; return 254; }
"""


@pytest.mark.parametrize("complaint", FAILURES)
def test_a_failed_question_ends_the_script(complaint: str) -> None:
    frame = "set -euo pipefail\ndry_run=no wait_minutes=\n"
    script = frame + environment().from_string(_FRAME).render()
    done = subprocess.run(
        ["/bin/bash", "-c", f"{script}ask aws x; echo went on"],
        env={"PATH": "/usr/bin:/bin", "SAID": complaint},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
