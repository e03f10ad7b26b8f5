"""Rules on mount paths and scratch."""

from __future__ import annotations

import pytest

from tests.rules.storage.planning import codes, validated


def _mounted(*mounts: str) -> str:
    return "storage: [" + ", ".join(f"{{mount: {m}, type: efs}}" for m in mounts) + "]"


@pytest.mark.parametrize(
    ("mounts", "expected"),
    [
        (["/home"], []),
        (["/mnt/data"], []),
        (["/opt/shared"], []),
        (["/var/lib/data"], []),
        (["/fsx", "/fsx2"], []),
        (["/data/a", "/data/b"], []),
        (["/fsx/"], ["STG013"]),
        (["//fsx"], ["STG013"]),
        (["/data/./x"], ["STG013"]),
        (["/data/../x"], ["STG013"]),
        (["/fsx", "/fsx"], ["STG014"]),
        (["/fsx", "/fsx/"], ["STG013", "STG014"]),
        (["/fsx", "/fsx", "/fsx"], ["STG014", "STG014"]),
        (["/data", "/data/x"], ["STG015"]),
        (["/data/x", "/data"], ["STG015"]),
        (["/data", "/data/x/y/z"], ["STG015"]),
        (["/"], ["STG016"]),
        (["/", "/data"], ["STG015", "STG016"]),
        (["/tmp"], ["STG016"]),
        (["/tmp/"], ["STG013", "STG016"]),
        (["/usr"], ["STG016"]),
        (["/opt/slurm"], ["STG016"]),
        (["/opt/slurm/etc"], ["STG016"]),
        (["/opt/slurmdata"], []),
        (["/proc/x"], ["STG016"]),
    ],
)
def test_mounts(mounts: list[str], expected: list[str]) -> None:
    assert codes(_mounted(*mounts)) == expected


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
        (["/fsx//a/"], "/fsx/a"),
        (["/data", "/data/x"], "e.g. /data-x"),
        (["/data/x", "/data"], "e.g. /data-x"),
        (["/usr"], "e.g. /shared/usr"),
        (["/"], "e.g. /shared"),
    ],
)
def test_help(mounts: list[str], help: str) -> None:
    (finding,) = validated(_mounted(*mounts))
    assert finding.help == help
