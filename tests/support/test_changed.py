"""Which tests a change needs."""

import pytest

from tests.support.changed import ALWAYS, folders


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ([], []),
        (["clustergen/targets/pcs/roles.py"], ["tests/targets/pcs"]),
        (["clustergen/analysis/diff/model.py"], ["tests/analysis/diff"]),
        (["clustergen/base/shell.py", "clustergen/base/secrets/texts.py"], ["tests/base"]),
        (["clustergen/plan/names.py", "clustergen/plan/features/table.py"], ["tests/plan"]),
        (["tests/spec/test_schema.py"], ["tests/spec/test_schema.py"]),
        (["templates/pcs/deploy.sh.j2", "README.md"], ["tests/templates"]),
        (["tools/docs/build.py"], ["tests/docs"]),
        ([".ci/run"], ["tests/repository"]),
    ],
)
def test_tests_mirror_files(changed: list[str], tests: list[str]) -> None:
    assert folders(changed) == sorted({*tests, *ALWAYS})
