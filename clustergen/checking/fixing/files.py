"""Writing fixed files: each as a whole, or not at all."""

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from clustergen.base.findings import Finding
from clustergen.checking.fixing.rules.file import NOT_WRITTEN

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write(file: str, before: bytes, after: bytes) -> list[Finding]:
    """Replace the contents of ``file``, which were ``before``; findings if that is impossible.

    The file keeps its mode and, as far as permitted, its owner. A symbolic link stays one.
    """
    path = Path(os.path.realpath(file))
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        # Root may write to files of any mode, but a file without write permission is meant to stay.
        if not found.st_mode & _WRITABLE or not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "it is read-only")
        if path.read_bytes() != before:
            raise OSError(errno.EBUSY, "it changed in the meantime")
        _replace(path, after, found)
    except OSError as error:
        shown = file.encode("utf-8", "replace").decode()
        reason = (error.strerror or str(error)).lower()
        help = "give yourself write permission and run it again; --diff shows what it would change"
        return [NOT_WRITTEN.at((), f"cannot write {shown}: {reason}", help=help)]
    return []


def _replace(path: Path, content: bytes, found: os.stat_result) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            with suppress(OSError):
                os.fchown(stream.fileno(), found.st_uid, found.st_gid)
            os.fchmod(stream.fileno(), stat.S_IMODE(found.st_mode))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
