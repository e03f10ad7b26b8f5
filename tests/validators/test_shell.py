"""The shell validator, and the scripts within user data."""

import base64

import pytest

from tests.validators.shell import script_violations, scripts_in_user_data
from tests.validators.user_data import user_data_violations

GOOD = '#!/bin/bash\nset -euo pipefail\nif [[ -d "$1" ]]; then\n  ls "$1"\nfi\n'

SCRIPTS = [
    (GOOD, ""),
    (GOOD.replace('ls "$1"', "ls $1"), "SC2086"),
    (GOOD.replace("fi\n", ""), "SC1"),
    (GOOD.replace("  ls", "ls"), "shfmt"),
    (GOOD.replace('ls "$1"', "note_jobs"), "no function note_jobs"),
    (GOOD.replace('ls "$1"', 'wait_for 5 "it" is_there'), "no function"),
]


@pytest.mark.parametrize(("script", "words"), SCRIPTS)
def test_scripts(script: str, words: str) -> None:
    violations = script_violations({"setup.sh": script, "good.sh": GOOD})
    assert bool(violations) == bool(words)
    assert all(
        words in violation and violation.startswith("setup.sh:") for violation in violations[:1]
    )


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
    violations = user_data_violations(base64.b64encode(text.encode()).decode())
    assert bool(violations) == bool(words)
    assert not words or any(words in violation for violation in violations)


def test_scripts_within_user_data_are_validated() -> None:
    scripts = scripts_in_user_data("nodes", base64.b64encode(MIME.encode()).decode())
    assert list(scripts) == ["nodes part 2"]
    assert "SC2086" in script_violations(scripts)[0]
