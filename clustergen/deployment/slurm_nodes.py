"""Commands for Slurm, on nodes that are instances of the account: Systems Manager runs them."""

import gzip
import io
import shlex
import tarfile
from pathlib import Path
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment import bucket, foundation, printing
from clustergen.deployment.nodes import TESTS, Node, tests_of
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop

_MINUTES: Final = 5
_TEST_MINUTES: Final = 240
_RUNNING: Final = ("Pending", "InProgress", "Delayed", "Cancelling", None)
_TESTED: Final = (TESTS, "jobs", "verify.sh")
# `%o` is the address by which Slurm reaches a node: https://slurm.schedmd.com/sinfo.html
_DRAIN: Final = """\
#!/bin/bash -l
set -e
address={address}
name=$(sinfo -N -h --format='%o %N' | awk -v a="$address" '$1 == a {{ print $2; exit }}')
[[ -n $name ]] || {{ echo "Slurm has no node with the address $address"; exit 1; }}
scontrol update nodename="$name" state=drain reason='drained with clustergen'
sinfo --nodes="$name" --Node --long
"""
# The user of the image is the first one, and may not write to the root of every file system. A
# folder with a known name could be another user's.
_TEST: Final = """\
#!/bin/bash -l
set -eo pipefail
user=$(id -un 1000)
folder=$(mktemp -d {place})
chmod 755 "$folder"
chown "$user" "$folder"
echo "The tests are in $folder."
aws s3 cp --region {region} --only-show-errors {archive} - | runuser -u "$user" -- tar xzC "$folder"
runuser -l "$user" -c "cd '$folder' && smoke/run.sh {tests}"
"""


def drain(run: Run, entrance: Node, node: Node) -> str:
    """Drain a node, by a command on another one; how to take that back."""
    run.note(_ran(run, entrance, f"drain {node.id}", draining(node.address), _MINUTES))
    return 'sudo "$(which scontrol)" update nodename=NODE state=resume, on a node of the cluster'


def draining(address: str) -> str:
    """A script that drains the node with an address."""
    return _DRAIN.format(address=shlex.quote(address))


def test(run: Run, entrance: Node | None, group: str) -> None:
    """Run the tests of the bundle on a node."""
    text = testing(run, group)
    if entrance is None:
        raise Stop("no node runs from which tests could be submitted: see --status.")
    said = _ran(run, entrance, "tests", text, _TEST_MINUTES)
    run.world.screen.result([line] for line in said.splitlines())


def testing(run: Run, group: str) -> str:
    """A script that runs the tests of the bundle; what it needs is in the bucket."""
    place = run.bundle.shared
    if not place:
        raise Stop("tests need a file system that all nodes share: the spec has none.")
    chosen = tests_of(run, "sbatch", group, "-{}")
    outputs, key = foundation.outputs(run), f"tests/{run.bundle.cluster}-{run.bundle.target}.tgz"
    bucket.put_bytes(run, outputs, key, "tests.tgz", _packed(run.folder))
    return _TEST.format(
        place=shlex.quote(f"{place}/clustergen-tests.XXXXXX"),
        region=run.bundle.region,
        archive=shlex.quote(f"s3://{bucket.name(outputs)}/{key}"),
        tests=" ".join(chosen),
    )


def _packed(folder: Path) -> bytes:
    """An archive without times and owners: the same tests are the same bytes."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime = entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in _TESTED:
            if (folder / name).exists():
                archive.add(folder / name, name, filter=plain)
    return gzip.compress(packed.getvalue(), mtime=0)


def _ran(run: Run, on: Node, what: str, script: str, minutes: int) -> str:
    """What a script has printed that ran on a node; raises Stop if it fails, or may not run."""
    if not run.bundle.sessions:
        raise Stop(
            "the spec leaves out `session-manager`, so nothing runs commands on nodes: README.md "
            "says how to reach them."
        )
    sent = run.world.change(
        "ssm:SendCommand",
        InstanceIds=[on.id],
        DocumentName="AWS-RunShellScript",
        Comment=what,
        Parameters={"commands": script.splitlines(), "executionTimeout": [str(minutes * 60)]},
    )
    names = {"CommandId": sent["Command"]["CommandId"], "InstanceId": on.id}
    call = "ssm:GetCommandInvocation"

    def ended() -> Json | None:
        found = run.world.ask(call, "Status", **names)
        return found if found and found["Status"] not in _RUNNING else None

    shown = printing.line(run.world.command(call, names))
    found = run.world.wait(minutes, f"{what}, on {on.id}", ended, f"run {shown}")
    said = f"{found.get('StandardOutputContent', '')}{found.get('StandardErrorContent', '')}"
    if found["Status"] != "Success":
        raise Stop(
            f"{what}: the command ended with {found['Status']}. Fix what it reports, and run this "
            "again.",
            said.strip(),
        )
    return said.strip()
