"""The shell judge, and the scripts within user data."""

from __future__ import annotations

import base64

import pytest

from tests.oracles.shell import script_breaches, scripts_in_user_data
from tests.oracles.user_data import user_data_breaches

GOOD = '#!/bin/bash\nset -euo pipefail\nif [[ -d "$1" ]]; then\n  ls "$1"\nfi\n'

SCRIPTS = [
    (GOOD, ""),
    (GOOD.replace('ls "$1"', "ls $1"), "SC2086"),
    (GOOD.replace("fi\n", ""), "SC1"),
    (GOOD.replace("  ls", "ls"), "shfmt"),
]


@pytest.mark.parametrize(("script", "words"), SCRIPTS)
def test_scripts(script: str, words: str) -> None:
    breaches = script_breaches({"setup.sh": script, "good.sh": GOOD})
    assert bool(breaches) == bool(words)
    assert all(words in breach and breach.startswith("setup.sh:") for breach in breaches[:1])


MIME = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="==B=="

--==B==
Content-Type: text/cloud-config; charset="us-ascii"

packages: [nfs-common]

--==B==
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
ls $1

--==B==--
"""

USER_DATA = [
    (MIME, ""),
    (MIME.replace("--==B==--\n", ""), "CloseBoundaryNotFound"),
    (MIME.replace("packages:", "- packages"), "not a mapping"),
    (MIME.replace("packages: [", "packages: {"), "not YAML"),
    (MIME.replace("#!/bin/bash\n", ""), "without #!"),
    (MIME.replace("text/x-shellscript", "text/x-perl"), "text/x-perl"),
    (MIME.replace("multipart/mixed", "text/plain"), "not MIME multipart/mixed"),
    ("#!/bin/bash\n", "not MIME multipart/mixed"),
]


@pytest.mark.parametrize(("text", "words"), USER_DATA)
def test_user_data(text: str, words: str) -> None:
    breaches = user_data_breaches(base64.b64encode(text.encode()).decode())
    assert bool(breaches) == bool(words)
    assert not words or any(words in breach for breach in breaches)


def test_scripts_within_user_data_are_judged() -> None:
    scripts = scripts_in_user_data("nodes", base64.b64encode(MIME.encode()).decode())
    assert list(scripts) == ["nodes part 2"]
    assert "SC2086" in script_breaches(scripts)[0]
