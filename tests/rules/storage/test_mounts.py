"""Rules on mount paths and scratch."""

import pytest

from tests.rules.storage.planning import codes, validated
from tests.support.tables import by_outcome


def _mounted(*mounts: str) -> str:
    return "storage: [" + ", ".join(f"{{mount: {m}, type: efs}}" for m in mounts) + "]"


@pytest.mark.parametrize(
    ("mounts", "expected"),
    by_outcome("""
'': [/home, /mnt/data, /opt/shared, /opt/slurmdata, /var/lib/data, /fsx /fsx2, /data/a /data/b]
STG013: [/fsx/, //fsx, /data/./x, /data/../x]
STG014: [/fsx /fsx]
STG013 STG014: [/fsx /fsx/]
STG014 STG014: [/fsx /fsx /fsx]
STG015: [/data /data/x, /data/x /data, /data /data/x/y/z]
STG016: [/, / /data, /tmp, /usr, /opt/slurm, /opt/slurm/etc, /proc/x]
STG013 STG016: [/tmp/]
"""),
)
def test_mounts(mounts: str, expected: str) -> None:
    assert codes(_mounted(*mounts.split())) == expected.split()


@pytest.mark.parametrize(
    ("scratch", "mount", "expected"),
    [
        ("/scratch", "/fsx", []),
        ("/scratch", "/scratch", ["STG017"]),
        ("/scratch", "/scratch/shared", ["STG017"]),
        ("/fsx/local", "/fsx", ["STG017"]),
        ("/scratch2", "/scratch", []),
        ("/tmp", "/fsx", ["STG016"]),
        ("/local/", "/fsx", ["STG013"]),
    ],
)
def test_scratch(scratch: str, mount: str, expected: list[str]) -> None:
    found = validated(f"node_groups: [{{name: h200, scratch: {scratch}}}]\n{_mounted(mount)}")
    assert [finding.code for finding in found] == expected
    assert all(finding.path == ("node_groups", 0, "scratch") for finding in found)


@pytest.mark.parametrize(
    ("mounts", "help"),
    [
        (["/fsx//a/"], "write /fsx/a"),
        (["/data", "/data/x"], "write e.g. /data-x"),
        (["/data/x", "/data"], "write e.g. /data-x"),
        (["/usr"], "write e.g. /shared/usr"),
        (["/"], "write e.g. /shared"),
    ],
)
def test_help(mounts: list[str], help: str) -> None:
    (finding,) = validated(_mounted(*mounts))
    assert finding.help == help
