"""EC2 user data of several parts, for cloud-init.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
"""

from collections.abc import Sequence

SHELL_SCRIPT = 'text/x-shellscript; charset="us-ascii"'
BOOTHOOK = 'text/cloud-boothook; charset="us-ascii"'

BOUNDARY = "CLUSTERGEN"
"""The beginning of the boundary of our user data."""


def multipart(parts: Sequence[tuple[str, str]]) -> str:
    """A MIME message of ``parts``: pairs of a content type and a text.

    A blank line must follow the headers of a part and precede the next boundary. The boundary is
    extended until no part contains it, because parts may contain user text.
    """
    boundary = BOUNDARY
    while any(boundary in text for _, text in parts):
        boundary += "-"
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{boundary}"', ""]
    for content_type, text in parts:
        lines += [f"--{boundary}", f"Content-Type: {content_type}", "", text.rstrip("\n"), ""]
    return "\n".join([*lines, f"--{boundary}--", ""])
