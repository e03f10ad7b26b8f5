"""The bucket of scripts: what nodes read, and what a pause remembers."""

from __future__ import annotations

import re
from typing import Final

from clustergen.deployment import printing
from clustergen.deployment.model import Table
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.world import Stop

NAME: Final = "ScriptsBucketName"
"""The output of the foundation."""
# In what a pause remembers.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.:/# \t\n-]*")


def name(outputs: Outputs) -> str:
    """The name of the bucket."""
    return value(outputs, NAME)


def value(outputs: Outputs, name: str) -> str:
    """An output.

    :raises Stop: if there is none.
    """
    if found := outputs.get(name):
        return found
    raise Stop(f"the foundation has no output {name}: deploy it, or give --outputs FILE")


def upload(run: Run, outputs: Outputs) -> None:
    """Upload scripts. The key contains a hash of the text: an existing script is the same one."""
    for key, path in run.bundle.uploads.items():
        if not _exists(run, name(outputs), key):
            _put(run, name(outputs), key, path, (run.folder / path).read_bytes())


def upload_tables(run: Run, outputs: Outputs) -> None:
    """Upload the tables that nodes read regularly; overwrite those of an earlier deployment."""
    made = [table for table in run.bundle.tables if table.file]
    # Without a bucket, there were none: an adopted cluster may have no foundation.
    if not made and NAME not in outputs:
        return
    for table in run.bundle.tables:
        _upload_table(run, name(outputs), table)


def _upload_table(run: Run, bucket: str, table: Table) -> None:
    if table.file:
        _put(run, bucket, table.key, table.file, (run.folder / table.file).read_bytes())
    elif _exists(run, bucket, table.key):
        path = run.write("table.tsv", table.empty)
        _put(run, bucket, table.key, path, table.empty.encode())


def _exists(run: Run, bucket: str, key: str) -> bool:
    path = "ContentLength"
    return run.world.need("s3:HeadObject", path, Bucket=bucket, Key=key) is not None


def _put(run: Run, bucket: str, key: str, path: str, content: bytes) -> None:
    run.world.change("s3:PutObject", Bucket=bucket, Key=key, Body=printing.FileBytes(content, path))


Rows = list[list[str]]
"""What a pause remembers: a row for each group."""


def recall(run: Run, outputs: Outputs, key: str) -> Rows | None:
    """What a pause has remembered; None if there was none."""
    body = run.world.need("s3:GetObject", "Body", Bucket=name(outputs), Key=key)
    text = body.read().decode() if body else ""
    if not text.strip():
        return None
    if not _PLAIN.fullmatch(text):
        raise Stop(
            f"s3://{name(outputs)}/{key} is not what --pause wrote: find out who changed it, "
            "delete it, and scale the node groups yourself."
        )
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def remember(run: Run, outputs: Outputs, key: str, rows: Rows) -> None:
    """Remember the sizes of groups: any user on any machine can resume."""
    text = "".join("\t".join(row) + "\n" for row in [["# paused"], *rows])
    _put(run, name(outputs), key, run.write("paused", text), text.encode())


def forget(run: Run, outputs: Outputs, key: str) -> None:
    """Forget a pause."""
    run.world.change("s3:DeleteObject", Bucket=name(outputs), Key=key)
