"""The contract of targets, from outside: a toy in `tests/targets/toy` passes what every target has
to pass.

It touches no other file: a target is its own package, and rows in the tables that CONTRIBUTING
names, which `tests/targets/toy/plugin.py` adds.
"""

import re
import sys
from pathlib import Path

from clustergen import targets
from clustergen.base.text_lists import words
from tests.support.scripts import completed
from tests.support.tiers import IN_REAL
from tests.targets import toy

LONGEST = 80
"""Lines of the toy: what a new target has to write, beside what is special about it."""

SUITES = words("""
    tests/plan/features/test_truth.py tests/targets/test_support.py
    tests/targets/test_contract.py tests/targets/test_specs.py tests/analysis/test_compare.py
    tests/repository/test_layers.py tests/plan/test_build.py
    tests/services/foundation/test_targets.py
""")


def test_the_file_is_small() -> None:
    folder = Path(toy.__file__).parent
    own = [path for path in folder.iterdir() if path.is_file() and path.stem != "plugin"]
    assert sum(len(path.read_text().splitlines()) for path in own) <= LONGEST


@IN_REAL
def test_the_toy_passes_every_generic_suite() -> None:
    # Cases of other targets run without the toy too.
    others = " or ".join(targets.NAMES)
    chosen = f"toy or (compare or targets) and not ({others})"
    options = words("-m pytest -p tests.targets.toy.plugin -p no:cacheprovider -q -rA -k")
    done = completed(sys.executable, *options, chosen, *SUITES)
    outcome = done.stdout + done.stderr
    assert re.findall(r"^(?:FAILED|ERROR) .*", outcome, re.M) == []
    passed = set(re.findall(r"^PASSED (.*?)::", outcome, re.M))
    assert passed == set(SUITES), outcome[-2000:]


@IN_REAL
def test_generated_pages_include_the_toy() -> None:
    code = (
        "from clustergen import targets; targets.register('toy', 'tests.targets.toy')\n"
        "from tools.docs import build; print(build.support())"
    )
    done = completed(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    assert "| Toy |" in done.stdout
