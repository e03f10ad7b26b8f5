"""Public keys made by ssh-keygen's rules, and what may happen to them in a copy."""

import base64

import pytest

from clustergen.plan.ssh_keys import find_flaw
from tests.support.checking import Fragments


def key(type: str, *fields: bytes) -> str:
    blob = b"".join(len(f).to_bytes(4, "big") + f for f in (type.encode(), *fields))
    return f"{type} {base64.b64encode(blob).decode()}"


ED25519 = key("ssh-ed25519", bytes(32))
RSA = key("ssh-rsa", b"\x01\x00\x01", b"\x00" + b"\xcd" * 256)
GOOD = [
    ED25519,
    f"{ED25519} alice@laptop, the blue one",
    RSA,
    key("ecdsa-sha2-nistp256", b"nistp256", bytes(65)),
    key("ecdsa-sha2-nistp521", b"nistp521", bytes(133)),
    key("sk-ssh-ed25519@openssh.com", bytes(32), b"ssh:"),
    key("sk-ecdsa-sha2-nistp256@openssh.com", b"nistp256", bytes(65), b"ssh:"),
    # A certificate, and a type of the future.
    key("ssh-ed25519-cert-v01@openssh.com", bytes(32), bytes(32), bytes(8)),
    key("ssh-mldsa65", bytes(1952)),
]
DAMAGED = "is incomplete or damaged"
BAD = [
    ("ssh-ed25519", "has nothing after ssh-ed25519"),
    (ED25519[:-9], DAMAGED),
    (ED25519[:-8], DAMAGED),
    (RSA[:-4], DAMAGED),
    (RSA[: len(RSA) // 2], DAMAGED),
    (key("ssh-ed25519", bytes(31)), DAMAGED),
    (key("ssh-rsa", b"\x01\x00\x01"), DAMAGED),
    (ED25519.replace("AAAA", "AA.A", 1), DAMAGED),
    (ED25519.replace("ed25519", "rsa"), "begins with ssh-rsa, but the key in it is ssh-ed25519"),
    ("ssh-ed25519 AAAAAA==", "begins with ssh-ed25519, but the key in it is empty"),
]


@pytest.mark.parametrize("text", GOOD)
def test_keys_that_sshd_reads(text: str) -> None:
    assert find_flaw(text) == ""


@pytest.mark.parametrize(("text", "flaw"), BAD)
def test_keys_that_sshd_skips(text: str, flaw: str) -> None:
    assert find_flaw(text) == flaw


def test_a_damaged_key_is_a_finding() -> None:
    spec = "users: [{{name: alice, uid: 2001, ssh_key: {}}}]"
    for text, expected in ((ED25519, []), (ED25519[:-8], [("users", 0, "ssh_key")])):
        found = Fragments("pcs").findings(spec.format(text))
        assert [f.path for f in found if f.code == "NET029"] == expected
