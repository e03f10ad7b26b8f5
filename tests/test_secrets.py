"""Findings never show a secret, in any format, wherever the user wrote it."""

from __future__ import annotations

import string
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen import compiler, registry, report, secrets
from tests.checking import check
from tests.examples import share

HEAD = {
    "version": 1,
    "name": "example",
    "region": "us-east-1",
    "network": {"zone": "use1-az6"},
    "node_groups": [{"name": "h200", "instance_type": "p5en.48xlarge", "count": 2}],
}
_BODY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"
PRIVATE_KEY = (
    f"-----BEGIN OPENSSH PRIVATE KEY-----\n{_BODY}\n{_BODY}\n-----END OPENSSH PRIVATE KEY-----\n"
)
BLOCK_KEY = yaml.safe_dump(HEAD) + "users:\n- name: a\n  uid: 2001\n  ssh_key: |\n"
BLOCK_KEY += textwrap.indent(PRIVATE_KEY, "    ")
# Pieces of it, for a line may be shown or a value be cut.
PIECES = (_BODY, _BODY[:40])


def shown(*texts: str, target: str = "", sets: Sequence[str] = ()) -> list[str]:
    """What every format prints about a spec."""
    findings = check(*texts, target=target, sets=sets).findings
    assert findings
    return [report.render(name, findings, registry.by_code()) for name in report.FORMATS]


def user(ssh_key: str) -> str:
    users = [{"name": "alice", "uid": 2001, "ssh_key": ssh_key}]
    return yaml.safe_dump({**HEAD, "users": users}, width=1000)


@pytest.mark.parametrize(
    "text",
    [
        user(PRIVATE_KEY),
        user(_BODY),
        yaml.safe_dump(HEAD)
        + f"users:\n- name: a\n  uid: 2001\n  ssh_key: |\n    {PRIVATE_KEY}".replace(
            "\n", "\n    "
        ),
        yaml.safe_dump(HEAD)
        + f'users: [{{name: a, uid: 2001, ssh_key: "{PRIVATE_KEY}"}}]'.replace("\n", "\\n"),
        # Text that is no YAML is shown as well.
        yaml.safe_dump(HEAD) + PRIVATE_KEY,
        yaml.safe_dump(HEAD) + f"tags: {{a: [{PRIVATE_KEY}",
        yaml.safe_dump({**HEAD, "software": {"scripts": [{"run": "x", "args": [PRIVATE_KEY]}]}}),
        yaml.safe_dump({**HEAD, PRIVATE_KEY: 1}),
    ],
)
def test_private_keys(text: str) -> None:
    for output in shown(text):
        assert not [piece for piece in PIECES if piece in output]


@pytest.mark.parametrize(
    "token",
    [
        "ghp_" + "a1B2" * 9,
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "hf_" + "a1B2" * 8,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
    ],
)
def test_tokens(token: str) -> None:
    text = yaml.safe_dump({**HEAD, "software": {"os": token}, "tags": {"a": [token]}})
    for output in shown(text):
        assert token not in output


def test_public_keys_and_references_are_shown() -> None:
    arn = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:slurm-a1b2c3"
    accounting = {"endpoint": "db.example.com", "secret": arn}
    text = yaml.safe_dump({**HEAD, "slurm": {"accounting": accounting}})
    assert arn in shown(text, target="parallelcluster")[0]
    assert "ssh-ed25519 AAAA" in shown(user("ssh-ed25519 AAAA\nBBBB"))[0]


def test_set_arguments() -> None:
    for argument in ("slurm.accounting.password=hunter2x", "users[0].ssh_key=hunter2x"):
        for output in shown(yaml.safe_dump(HEAD), sets=[argument]):
            assert "hunter2x" not in output


_SECRET = st.text(string.ascii_letters + string.digits + "!@$%^*()_+ '\":,{}[]#&|>-\\é", min_size=7)
_FIELDS = st.sampled_from(
    ["password", "secret", "db_password", "api_key", "StoragePass", "token", "private-key"]
)
_STYLES = st.sampled_from(["'", '"', "|", ">", None])


@given(_SECRET, _FIELDS, _STYLES, st.booleans())
@settings(max_examples=share(300), deadline=None)
def test_values_of_secret_fields_are_masked(
    secret: str, field: str, style: str | None, flow: bool
) -> None:
    secret = f"Zq{secret}9Zq"
    accounting = {"endpoint": "db.example.com", field: secret, "other": 1}
    document = {**HEAD, "slurm": {"accounting": accounting, "settings": {field: [secret]}}}
    text = yaml.dump(
        document, default_style=style, default_flow_style=flow, width=10_000, allow_unicode=True
    )
    # Keys and numbers in quotes are wrong types, which is one more reason to show lines.
    for output in shown(text, target="parallelcluster"):
        assert secret not in output
        assert "9Zq" not in output


@given(_SECRET, _FIELDS)
@settings(max_examples=share(200), deadline=None)
def test_secrets_in_broken_yaml(secret: str, field: str) -> None:
    line = f"  {field}: 'Zq{secret.replace(chr(39), '')}9Zq"
    for output in shown(f"version: 1\nslurm:\n{line}\n  other: [\n"):
        assert "9Zq" not in output


def test_the_api_masks_secrets_too(tmp_path: Path) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text(user(PRIVATE_KEY), encoding="utf-8")
    findings = compiler.check([spec]).findings
    assert findings
    assert not any(piece in repr(findings) for piece in PIECES)


# A text for every kind of key that is masked.
_KEYS = (
    *PRIVATE_KEY.splitlines()[:2],
    *("AKIA" + "A1" * 8, "ASIA" + "A1" * 8, "ghp_" + "a1" * 10, "github_pat_" + "a1" * 10),
    *("glpat-" + "a1" * 10, "xoxb-" + "a1" * 5, "hf_" + "a1" * 10, "sk-" + "a1" * 10),
    *("eyJ" + "a1" * 5 + ".a.b", "aA1/" * 10, "https://user:word@example.com"),
)


@given(st.lists(st.sampled_from(_KEYS) | st.text(max_size=20), max_size=4), st.sampled_from(' "/'))
def test_no_key_is_missed_for_speed(parts: list[str], between: str) -> None:
    """Most texts are not searched; those that are left out hold nothing."""
    text = between.join(parts)
    assert secrets.without_keys(text, "*") == secrets._LOOKS_SECRET.sub("*", text)


@pytest.mark.parametrize("key", _KEYS)
def test_every_kind_of_key_is_masked(key: str) -> None:
    assert secrets.without_keys(f"a {key} b", "*") != f"a {key} b"
