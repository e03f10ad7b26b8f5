"""Public keys of SSH, read as sshd reads them.

https://datatracker.ietf.org/doc/html/rfc4253#section-6.6: a key is a sequence of strings, each
after its length in four bytes; the first one is the name of the type.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Final

# Lengths of the strings after the name; None for any. RFC 4253, 5656, 8709, and PROTOCOL.u2f of
# https://github.com/openssh/openssh-portable; 2026-11.
_FIELDS: Final[Mapping[str, tuple[int | None, ...]]] = {
    "ssh-ed25519": (32,),
    "ssh-rsa": (None, None),
    "ecdsa-sha2-nistp256": (8, 65),
    "ecdsa-sha2-nistp384": (8, 97),
    "ecdsa-sha2-nistp521": (8, 133),
    "sk-ssh-ed25519@openssh.com": (32, None),
    "sk-ecdsa-sha2-nistp256@openssh.com": (8, 65, None),
}


def find_flaw(key: str) -> str:
    """What keeps sshd from reading a public key in one line; empty if it can read it."""
    type, _, rest = key.strip().partition(" ")
    encoded = rest.split(maxsplit=1)[0] if rest.split() else ""
    if not encoded:
        return f"has nothing after {type}"
    try:
        fields = _fields(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        return "is incomplete or damaged"
    name = fields[0].decode(errors="replace") if fields else ""
    if name != type:
        return f"begins with {type}, but the key in it is {name or 'empty'}"
    lengths = _FIELDS.get(type)
    # Certificates and types of the future have other strings.
    if lengths is None or _fit(fields[1:], lengths):
        return ""
    return "is incomplete or damaged"


def _fields(blob: bytes) -> list[bytes]:
    """The strings of a key.

    :raises ValueError: when the last one is cut short.
    """
    found = []
    while blob:
        end = 4 + int.from_bytes(blob[:4], "big")
        if len(blob) < 4 or len(blob) < end:
            raise ValueError("cut short")
        found.append(blob[4:end])
        blob = blob[end:]
    return found


def _fit(fields: list[bytes], lengths: tuple[int | None, ...]) -> bool:
    return len(fields) == len(lengths) and all(
        field and (length is None or len(field) == length)
        for field, length in zip(fields, lengths, strict=True)
    )
