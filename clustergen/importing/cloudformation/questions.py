"""Values that no file has: stand-ins in their place, and questions to the user."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clustergen.base.findings import Path
from clustergen.facts.catalog.regions import partition_of
from clustergen.importing.cloudformation.functions import (
    ACCOUNT,
    ACCOUNT_ID,
    DYNAMIC,
    UNKNOWN,
    is_reference,
    name_of,
    stand_in,
)
from clustergen.importing.cloudformation.stacks import NAMES
from clustergen.importing.notes import Notes

_ID_DIGITS: Final = 17
_LISTS: Final[Mapping[str, str]] = {
    "SubnetIds": "subnet",
    "Subnets": "subnet",
    "SecurityGroupIds": "sg",
    "SecurityGroups": "sg",
    "Groups": "sg",
    "AdditionalSecurityGroups": "sg",
}
"""Lists of ids, and the prefix of these."""
_IDS: Final[Mapping[str, str]] = {
    **_LISTS,
    "SubnetId": "subnet",
    "FileSystemId": "fs",
    "CustomAmi": "ami",
    "AmiId": "ami",
    "ImageId": "ami",
}
_ARNS: Final[Mapping[str, str]] = {
    "ClusterArn": "eks:{region}:{account}:cluster/",
    "IamInstanceProfileArn": "iam::{account}:instance-profile/",
    "PasswordSecretArn": "secretsmanager:{region}:{account}:secret:",
    "Policy": "iam::{account}:policy/",
    "Role": "iam::{account}:role/",
}
"""What ARNs have between the partition and the name."""
_ADD: Final = "add the template that has it"
_SCRIPTS: Final = "SourceS3Uri"
_ROLE: Final = re.compile(r"Role(Arn)?$|^PrincipalArn$")
_NUMBERS: Final = re.compile(r"(Count|Size|Capacity|VCpus|Vcpus|Version|Priority)$")


@dataclass(slots=True)
class Questions:
    """Replaces what is unknown, the same thing always by the same stand-in."""

    notes: Notes
    region: str
    known: frozenset[str] = frozenset()
    """Dynamic references that need no answer, because clustergen looks up the same."""
    _asked: dict[tuple[str, str], Any] = field(default_factory=dict)

    def answered(self, value: Any, path: Path = ()) -> Any:
        """``value`` with stand-ins."""
        if is_reference(value):
            found = self._stand_in(name_of(value), path)
            return [found] if path[-1] in _LISTS else found
        if isinstance(value, Mapping):
            return {key: self.answered(each, (*path, key)) for key, each in value.items()}
        if isinstance(value, list):
            return [self.answered(each, (*path, index)) for index, each in enumerate(value)]
        if path and path[-1] in _IDS and (found := DYNAMIC.fullmatch(str(value))):
            return value if value in self.known else self._stand_in(found[1], path)
        if isinstance(value, str) and "\x02" in value:
            return UNKNOWN.sub(lambda match: self._within(match[1], path, value), value)
        return value

    def _within(self, name: str, path: Path, text: str) -> str:
        """A stand-in within a text; names of buckets have no capitals."""
        found = str(self._stand_in(name, (*path, "text")))
        return found.lower() if text.startswith("s3://") else found

    def _stand_in(self, name: str, path: Path) -> Any:
        key = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
        kind = _IDS.get(key, key)
        if (kind, name) not in self._asked:
            known = any(name == other for _, other in self._asked)
            self._asked[kind, name] = self._made(kind, name)
            if not known:
                self._ask(name, path)
        return self._asked[kind, name]

    def _made(self, kind: str, name: str) -> Any:
        word = stand_in(name)
        if name == ACCOUNT_ID:
            return word
        if kind in _IDS.values():
            number = 1 + sum(1 for known, _ in self._asked if known == kind)
            return f"{kind}-{number:0{_ID_DIGITS}d}"
        if form := _ARNS.get("Role" if _ROLE.search(kind) else kind):
            partition = partition_of(self.region).name
            return f"arn:{partition}:{form.format(region=self.region, account=ACCOUNT)}{word}"
        if kind == _SCRIPTS:
            return f"s3://{word}".lower()
        if kind == "BucketName":
            return word.lower()
        return 1 if _NUMBERS.search(kind) else word

    def _ask(self, name: str, path: Path) -> None:
        flag = f"--parameter {name}=VALUE"
        help = f"use {flag}" if name.startswith("AWS::") else f"{_ADD}, or {flag}"
        if NAMES & set(path):
            help += ": the overlay names resources after it"
        self.notes.asked(path, f"no file says what {name} is", help, "targets")
