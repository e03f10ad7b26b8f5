"""An account and a folder to which plays return, and what one call of them is answered."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.cloud.account import Account, Fault
from tests.support.cloud.answers import paginator
from tests.support.cloud.commands import Bundle

_TIME = re.compile(r"deploy-\d{8}-\d{6}")
_OPERATION = re.compile(r"aws (?:--region \S+ )?(\S+) (\S+)")


def key(call: str) -> str:
    """A call without the time that it names."""
    return _TIME.sub("deploy-", call)


def has_pages(call: str) -> bool:
    """Whether the answer may come in pages; that about one stack does not."""
    found = _OPERATION.match(call)
    return (
        bool(found and paginator(found[1], found[2])) and "describe-stacks --stack-name" not in call
    )


@dataclass(slots=True)
class Exactly(Fault):
    """What this very call is answered."""

    def meets(self, call: str) -> bool:
        return not self.words or key(call) == self.words


@dataclass(frozen=True, slots=True)
class Moment:
    """An account and a folder, to which every play returns."""

    bundle: Bundle
    account: Account
    files: dict[Path, bytes]

    @classmethod
    def of(cls, bundle: Bundle) -> Moment:
        kept = Account()
        kept.__dict__.update(_parts(bundle.account, kept))
        return cls(bundle, kept, _files(bundle.folder))

    def again(self) -> Account:
        account = self.bundle.account
        account.__dict__.update(_parts(self.account, account))
        there = _files(self.bundle.folder)
        for path in there.keys() - self.files.keys():
            path.unlink()
        for path, content in self.files.items() - there.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return account


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _parts(account: Account, copied: Account) -> dict[str, Any]:
    """A copy for another account. Templates make up most of one, and never change."""
    memo: dict[int, Any] = {id(account): copied}
    for stack in account.cloudformation.stacks.values():
        templates = (each["template"] for each in stack.change_sets.values())
        memo |= {id(each): each for each in (stack.template, stack.attempted, *templates)}
    return copy.deepcopy(account.__dict__, memo)


def state(account: Account) -> dict[str, Any]:
    """What there is in an account, without what only a clock has written."""
    stacks = {
        name: (stack.status, stack.template, dict(stack.parameters), stack.tags)
        for name, stack in account.cloudformation.stacks.items()
    }
    return {
        "stacks": stacks,
        "pcs": {k: (g.minimum, g.maximum) for k, g in account.pcs.groups.items()},
        "eks": {k: (g.minimum, g.desired) for k, g in account.eks.groups.items()},
        "hyperpod": (account.hyperpod.status, dict(account.hyperpod.groups)),
        "governance": sorted(account.hyperpod.governed),
        "batch": {k: (e.least, e.state) for k, e in account.batch.environments.items()},
        "definitions": {k: e["status"] for k, e in account.batch.definitions.items()},
        "pcluster": (account.pcluster.status, account.pcluster.configuration),
        "fleet": account.pcluster.fleet,
        "objects": dict(account.objects),
        "logs": set(account.log_groups),
        "nodes": (set(account.drained), set(account.ended)),
        "kubernetes": (set(account.releases), set(account.applied)),
    }
