"""The bucket of scripts: what nodes read, and what a pause remembers."""

import re
from typing import Final

from clustergen.deployment import printing
from clustergen.deployment.run import FILLED, Outputs, Run
from clustergen.deployment.world import Stop

NAME: Final = "ScriptsBucketName"
"""The output of the foundation."""
# In what a pause remembers.
_PLAIN: Final = re.compile(r"[\w.:/+=,@# \t\n-]*", re.ASCII)


def name(outputs: Outputs) -> str:
    """The name of the bucket."""
    return value(outputs, NAME)


def value(outputs: Outputs, name: str) -> str:
    """An output; raises Stop if there is none."""
    if found := outputs.get(name):
        return found
    raise Stop(f"the foundation has no output {name}: deploy it, or give --outputs FILE")


def upload(run: Run, outputs: Outputs) -> None:
    """Upload scripts. The key contains a hash of the text: an existing script is the same one."""
    for key, path in run.bundle.uploads.items():
        if not has(run, outputs, key):
            put(run, outputs, key, path)


def upload_tables(run: Run, outputs: Outputs) -> None:
    """Upload the tables that nodes read regularly; overwrite those of an earlier deployment."""
    made = [table for table in run.bundle.tables if table.file]
    # Without a bucket, there were none: an adopted cluster may have no foundation.
    if not made and NAME not in outputs:
        return
    for table in run.bundle.tables:
        if table.file:
            put(run, outputs, table.key, table.file)
        elif has(run, outputs, table.key):
            put_text(run, outputs, table.key, "table.tsv", table.empty)


def has(run: Run, outputs: Outputs, key: str) -> bool:
    """Whether there is an object."""
    call, path = "s3:HeadObject", "ContentLength"
    return run.world.need(call, path, Bucket=name(outputs), Key=key) is not None


def put(run: Run, outputs: Outputs, key: str, path: str) -> None:
    """Upload a file of the bundle."""
    _put(run, outputs, key, printing.FileBytes((run.folder / path).read_bytes(), path))


def put_bytes(run: Run, outputs: Outputs, key: str, path: str, content: bytes) -> None:
    """Write bytes to ``.filled``, and upload them."""
    run.filled(path).write_bytes(content)
    _put(run, outputs, key, printing.FileBytes(content, f"{FILLED}/{path}"))


def put_text(run: Run, outputs: Outputs, key: str, path: str, text: str) -> None:
    """Write a text to ``.filled``, and upload it."""
    _put(run, outputs, key, printing.FileBytes(text.encode(), run.write(path, text)))


def _put(run: Run, outputs: Outputs, key: str, body: printing.FileBytes) -> None:
    run.world.change("s3:PutObject", Bucket=name(outputs), Key=key, Body=body)


Rows = list[list[str]]
"""What a pause remembers: a row for each group."""


def recall(run: Run, outputs: Outputs, key: str, words: int, numbers: int) -> Rows | None:
    """What a pause has remembered; None if there was none.

    Each row has so many ``words``, and ``numbers`` after them.
    """
    way = "delete it, and scale the node groups yourself."
    rows = rows_of(run, outputs, key, words + numbers, way)
    if not all(word.isdecimal() for row in rows for word in row[words:]):
        raise _changed(outputs, key, way)
    return rows or None


def rows_of(run: Run, outputs: Outputs, key: str, columns: int, way: str) -> Rows:
    """The rows of a table that a deployment wrote; ``way`` is what to do if others did."""
    body = run.world.need("s3:GetObject", "Body", Bucket=name(outputs), Key=key)
    text = body.read().decode(errors="replace") if body else ""
    found = (line for line in text.splitlines() if line and not line.startswith("#"))
    rows = [line.split("\t") for line in found]
    if not _PLAIN.fullmatch(text) or any(len(row) != columns for row in rows):
        raise _changed(outputs, key, way)
    return rows


def _changed(outputs: Outputs, key: str, way: str) -> Stop:
    place = f"s3://{name(outputs)}/{key}"
    return Stop(f"{place} is not what deploy.sh wrote: find out who changed it, {way}")


def remember(run: Run, outputs: Outputs, key: str, rows: Rows) -> None:
    """Remember the sizes of groups: any user on any machine can resume."""
    text = "".join("\t".join(row) + "\n" for row in [["# paused"], *rows])
    put_text(run, outputs, key, "paused", text)


def forget(run: Run, outputs: Outputs, key: str) -> None:
    """Forget a pause."""
    run.world.change("s3:DeleteObject", Bucket=name(outputs), Key=key)
