"""Who could read the secrets in a spec, and where they belong instead."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from clustergen.base.documents import leaves
from clustergen.base.findings import Finding, Path, errors
from clustergen.base.patterns import pattern
from clustergen.base.secrets import STAND_IN, Secret
from clustergen.spec.patterns import ID_KINDS
from clustergen.spec.rules.secrets import FILLED_IN, SECRET

_ACCOUNT: Final = "0" * 12
MARKS: Final = (STAND_IN, STAND_IN.lower(), "0" * 8)
"""What every stand-in has one of; the second in names of buckets."""
_IDS: Final = "|".join((*ID_KINDS, "fc", "lt", "snap", "eipalloc"))
_STAND_IN: Final = pattern(
    rf"(?<![\w-])(?:(?:{MARKS[0]}|{MARKS[1]})[\w-]*"
    rf"|(?:(?:{_IDS})-{MARKS[2]}(?:[0-9a-f]{{9}})?|pcs_{MARKS[2]}00|{_ACCOUNT})(?![\w-]))"
)
"""A text to fill in; or an account, or an id of EC2, FSx or PCS, of zeros but for its end."""
_READ: Final = "`aws secretsmanager get-secret-value --secret-id NAME --query SecretString`"
_STORE: Final = "store it in AWS Secrets Manager, allow the nodes' role to read it, and"
_SCRIPT: Final = f"{_STORE} let the script ask: {_READ}"
_FILL_IN: Final = f"write the value; if it is a secret, {_STORE} ask for it: {_READ}"
_PLACES: Final = {
    "scripts": ("user data and in the bucket of scripts: to every process on a node", _SCRIPT),
    "tags": (
        "tags: to most read-only roles, and in CloudTrail",
        f"remove the tag; {_STORE} ask for it: {_READ}",
    ),
    "labels": ("labels: to every user of the cluster", f"{_STORE} ask for it: {_READ}"),
    "addons": (
        "the template, the description of the add-on, and the Kubernetes API",
        "store it in AWS Secrets Manager, and let the add-on read it from a Kubernetes Secret, "
        "such as with the add-on aws-secrets-store-csi-driver-provider",
    ),
    "slurm": (
        "slurm.conf: to every user, with `scontrol show config`",
        f"write it to a file that only slurmctld can read: {_READ}",
    ),
    "overlay": (
        "the rendered document, which the service keeps, and in user data and jobs that it has",
        f"{_STORE} ask for it: {_READ}; containers of AWS Batch take its ARN in `Secrets`",
    ),
    "": ("the files of the bundle", f"{_STORE} ask for it: {_READ}"),
}
"""Where a value becomes readable, and what to do instead, by a key of its path."""


def exposed(secrets: Iterable[Secret], found: Iterable[Finding]) -> Iterator[Finding]:
    """A finding for each place with secrets; what is ``found`` to be wrong there comes first."""
    wrong = errors(found)
    by_place = {secret.path: secret.name for secret in secrets}
    for path, name in by_place.items():
        if not any(_is_at(each, path) for each in wrong):
            where, help = _PLACES[next((key for key in path if key in _PLACES), "")]
            what = f"{name} looks like a secret" if name else "this looks like a secret"
            yield SECRET.at(path, f"{what}, and would be readable in {where}", help=help)


def _is_at(finding: Finding, path: Path) -> bool:
    return path[: len(finding.path)] == finding.path and (finding.on_key or finding.path == path)


def stand_ins_in(text: str) -> list[str]:
    """What has to be replaced in ``text``, each once."""
    return [*dict.fromkeys(_STAND_IN.findall(text))]


def with_stand_ins(data: Any, found: Iterable[Finding]) -> Iterator[Finding]:
    """``found``, and a finding for each value that an import left open in place of those on it."""
    left = list(_stand_ins(data))
    places = {each.path for each in left}
    yield from (each for each in found if each.on_key or each.path not in places)
    yield from left


def _stand_ins(data: Any) -> Iterator[Finding]:
    """A finding for each text in which an import left something to fill in."""
    for path, text in leaves(data):
        words = stand_ins_in(text) if isinstance(text, str) else []
        # Another stand-in in the same ARN says more than its account.
        for word in [each for each in words if each != _ACCOUNT] or words:
            help = "write the id" if MARKS[2] in word else _FILL_IN
            yield FILLED_IN.at(path, f"{word} is a stand-in", help=help)
