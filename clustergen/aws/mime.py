"""EC2 user data of several parts, as cloud-init reads it.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
"""

from __future__ import annotations

from collections.abc import Sequence

SHELL_SCRIPT = 'text/x-shellscript; charset="us-ascii"'
BOOTHOOK = 'text/cloud-boothook; charset="us-ascii"'


def multipart(parts: Sequence[tuple[str, str]]) -> str:
    """A MIME message of ``parts``, each a content type and its text.

    A blank line must follow the headers of a part and precede the next boundary. The boundary is
    made longer until no part has it, because a part may contain user text.
    """
    boundary = "CLUSTERGEN"
    while any(boundary in text for _, text in parts):
        boundary += "-"
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{boundary}"', ""]
    for content_type, text in parts:
        lines += [f"--{boundary}", f"Content-Type: {content_type}", "", text.rstrip("\n"), ""]
    return "\n".join([*lines, f"--{boundary}--", ""])
