"""Digests of text. ``hashlib`` loads OpenSSL, so it is imported on first use."""


def sha256(content: str | bytes) -> str:
    """The SHA-256 of ``content`` (text as UTF-8) in hexadecimal."""
    import hashlib

    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()
