"""The other programs that ``deploy.sh`` and what it calls need."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from tests.support.cloud.answers import Done
from tests.support.cloud.clusters import ENDPOINT

if TYPE_CHECKING:
    from tests.support.cloud.account import Account

_POOLS, _CLAIMS = "nodepools.karpenter.sh", "nodeclaims.karpenter.sh"
MANAGED_BY = "app.kubernetes.io/managed-by"
NAMES = ("aws", "pcluster", "kubectl", "helm", "git", "node", "sleep")


@dataclass
class Git:
    """Which folder has which commit checked out."""

    commits: dict[Path, str] = field(default_factory=dict)
    fetched: dict[Path, str] = field(default_factory=dict)

    def run(self, words: list[str], cwd: Path) -> Done:
        if words[0] == "init":
            (cwd / words[-1]).mkdir(parents=True, exist_ok=True)
            return Done()
        folder = cwd / words[1] if words[0] == "-C" else cwd
        if "fetch" in words:
            self.fetched[folder] = words[-1]
        elif "checkout" in words:
            self.commits[folder] = self.fetched[folder]
        elif "rev-parse" in words:
            commit = self.commits.get(folder)
            return Done(out=f"{commit}\n") if commit else Done(128)
        return Done()


def run(account: Account, program: str, words: list[str]) -> Done:
    """Git and Helm have a memory; the others run commands without one."""
    if program in ("kubectl", "helm") and "" in words:
        return Done(1, err="error: resource name may not be empty\n")
    if program == "git":
        return account.git.run(words, account.cwd)
    if program == "helm":
        return _helm(account, words)
    if "cordon" in words:
        return _cordon(account, words[-1])
    if "logs" in words:
        return Done(out=account.printed)
    if program == "kubectl" and any(word.startswith("smoke/") for word in words):
        return _with_file(account, words)
    return _kubectl(account, words) if program == "kubectl" else Done()


def _helm(account: Account, words: list[str]) -> Done:
    if words[:2] == ["upgrade", "--install"]:
        account.releases.add(words[2])
    if words[0] != "list":
        return Done()
    pending = account.pending if "--pending" in words and "--deployed" not in words else ()
    found = (each.split() for each in sorted(pending))
    return Done(out=json.dumps([{"name": name, "namespace": space} for name, space in found]))


def _kubectl(account: Account, words: list[str]) -> Done:
    """Kinds of Karpenter exist from the release of its definitions on, its pools from theirs."""
    if "config" in words:
        return Done(out=json.dumps({"clusters": [{"cluster": {"server": ENDPOINT}}]}))
    known = "karpenter-crd" in account.releases
    if "apply" in words and "--dry-run=server" not in words:
        for path in (Path(word) for word in words if word.endswith(".yaml")):
            account.applied.add(path.name)
            account.pools |= _pools(account.cwd / path)
    if "api-resources" in words or any("serviceaccounts" in word for word in words):
        return _timetable(account, words)
    if "json" in words:
        return _as_json(account, words[words.index("get") + 1 :], known=known)
    kinds = {"nodepool", "nodepools.karpenter.sh", "nodeclaims.karpenter.sh"}
    if not kinds & set(words):
        return Done()
    if not known:
        return Done(1, err='error: the server doesn\'t have a resource type "nodepools"\n')
    kind = next(iter(kinds & set(words)))
    name = words[words.index(kind) + 1] if words.index(kind) + 1 < len(words) else ""
    if "patch" in words and name not in account.pools:
        return Done(1, err=f"Error from server (NotFound): {kind} {name!r} not found\n")
    if "delete" in words and kind.startswith("nodepools"):
        own = words[words.index("--selector") + 1].partition("=")[2]
        account.pools = {pool: owner for pool, owner in account.pools.items() if owner != own}
    return Done()


def _timetable(account: Account, words: list[str]) -> Done:
    """Of what left a bundle, only the account of a timetable, which is deleted last."""
    if "api-resources" in words:
        return Done(out="serviceaccounts\n")
    if "timetable.yaml" in account.applied and "delete" in words:
        account.applied.remove("timetable.yaml")
    own = "timetable.yaml" in account.applied and f"{MANAGED_BY}=clustergen" in words
    return Done(out="v1 ServiceAccount kube-system/timetable\n" if own else "")


def _with_file(account: Account, words: list[str]) -> Done:
    """Create, show or delete what a file has."""
    path = account.cwd / words[words.index("--filename") + 1]
    if "apply" in words:
        account.applied.add(path.name)
    elif "delete" in words:
        account.applied.discard(path.name)
    else:
        return Done(out=json.dumps(yaml.safe_load(path.read_text())))
    return Done()


def _cordon(account: Account, name: str) -> Done:
    account.drained.add(name.removeprefix("hyperpod-").removeprefix("ip-"))
    return Done()


def _nodes(account: Account) -> Done:
    ids = [id for group in account.eks.groups for id in account.eks.instances(f"eks-{group}")]
    names = {f"ip-{id}": id for id in ids}
    names |= {f"hyperpod-i-{group}": f"i-{group}" for group in account.hyperpod.groups}
    nodes = [
        {"metadata": {"name": name}, "spec": {"providerID": f"aws:///use1-az6/{id}"}}
        for name, id in names.items()
    ]
    return Done(out=json.dumps({"items": nodes}))


def _as_json(account: Account, words: list[str], *, known: bool) -> Done:
    """One object, or the list of a kind."""
    kind, name = words[0], words[1] if not words[1].startswith("--") else ""
    if name == "aws-node":
        containers = [{"image": account.cni}]
        found = {"spec": {"template": {"spec": {"containers": containers}}}}
        return Done(out=json.dumps(found) if account.cni else "")
    if kind == "nodes":
        return _nodes(account)
    if kind in ("job", "mpijob"):
        ended = {"type": "Failed" if account.refusal else "Complete", "status": "True"}
        return Done(out=json.dumps({"status": {"conditions": [ended]}}))
    if kind == "customresourcedefinitions":
        there = known and "karpenter" in name
        return Done(out=json.dumps({"metadata": {"name": name}}) if there else "")
    label = {_POOLS: MANAGED_BY, _CLAIMS: "karpenter.sh/nodepool"}.get(kind)
    if label is None:
        return Done()
    if not known:
        return Done(1, err='error: the server doesn\'t have a resource type "nodepools"\n')
    given = account.pools if kind == _POOLS else account.claims
    items = [{"metadata": {"name": n, "labels": {label: of}}} for n, of in given.items()]
    if name:
        return Done(out="".join(json.dumps(e) for e in items if e["metadata"]["name"] == name))
    return Done(out=json.dumps({"items": items}))


def _pools(path: Path) -> dict[str, str]:
    """Name and owner of the node pools in a manifest."""
    if path.name != "karpenter.yaml":
        return {}
    found = [
        one["metadata"] for one in yaml.safe_load_all(path.read_text()) if "NodePool" in one["kind"]
    ]
    return {one["name"]: one["labels"][MANAGED_BY] for one in found}
