"""The lifecycle scripts of a cluster, and their prefix in S3."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.base.digests import sha256
from clustergen.plan.model import Bucket, Plan
from clustergen.services.aws import mounts, references
from clustergen.services.hyperpod import slurm_conf, steps, verify
from clustergen.services.hyperpod.groups import SCRIPTS_BUCKET
from clustergen.services.hyperpod.limits import JOB_FOLDER_OF_IMAGE, JOB_FOLDERS
from clustergen.services.hyperpod.options import Options
from clustergen.services.hyperpod.steps import Group, Mode
from clustergen.services.monitoring.names import SLURM_JOB_FILES
from clustergen.services.slurm import accounts, collecting, tables, timetable, users

FOLDER = "lifecycle"
FILE_SYSTEMS = "file-systems.json"

_WHAT: Mapping[Mode, str] = {
    "extended": "What the spec asks for beyond HyperPod's own set-up of a node, and after it.",
    "customer-managed": "Makes an instance a node of the cluster, Slurm included.",
    "legacy": "Makes an instance a node of the cluster, Slurm included.",
    "kubernetes": "Prepares an instance before it joins the Kubernetes cluster.",
}

_SHARED = ("containers.sh", "lustre-efa.sh", "scratch.sh", "users.sh")


def lifecycle(plan: Plan, mode: Mode) -> Bundle:
    """The scripts of a cluster under ``lifecycle/``, the entry point first."""
    groups = steps.instance_groups(plan, mode)
    every = [step for group in groups for step in group.steps]
    names = ["resource-config.sh", *sorted({step.script for step in every})]
    values = _values(plan, mode)
    return (
        _script(entry_point(mode), _entry(groups, mode)),
        *(_script(name, _text(plan, mode, name, values)) for name in names),
        *_beside(plan, names),
        _script("verify.sh", verify.text(plan, kubernetes=mode == "kubernetes", copied=True)),
    )


def _text(plan: Plan, mode: Mode, name: str, values: Mapping[str, Any]) -> str:
    if name == accounts.NAME:
        return accounts.script(several=values["several"])
    if name == timetable.NAME:
        return timetable.script(plan.name, by_group=True)
    if name == collecting.NAME:
        # Where HyperPod sets up Slurm, the prolog is its image's; ours writes there, too.
        folder = JOB_FOLDER_OF_IMAGE if mode == "extended" else SLURM_JOB_FILES
        return collecting.script(plan, linger=0, job_files=folder)
    # Services share some scripts.
    return shell.render(f"{'shared' if name in _SHARED else 'hyperpod'}/{name}.j2", **values)


def entry_point(mode: Mode) -> str:
    """The name of the script that HyperPod runs, after or instead of its own node set-up."""
    return "on_init_complete.sh" if mode == "extended" else "on_create.sh"


def prefix(artifacts: Iterable[Artifact]) -> str:
    """A hash of names and contents, so that each set has its own prefix."""
    in_order = sorted(artifacts, key=lambda artifact: artifact.path)
    return sha256("".join(f"{each.path}\0{each.text}\0" for each in in_order))[:16]


def _entry(groups: Sequence[Group], mode: Mode) -> str:
    kinds = {step.kind for group in groups for step in group.steps}
    return shell.render(
        "hyperpod/entry.sh.j2",
        what=_WHAT[mode],
        entry=entry_point(mode),
        groups=groups,
        kinds=sorted(kinds),
        drains=mode == "extended",
        unfinished=collecting.UNFINISHED,
    )


def _beside(plan: Plan, names: Iterable[str]) -> Iterator[Artifact]:
    if "mounts.sh" in names:
        table = [mounts.mount(item)._asdict() for item in mounts.mounted(plan)]
        yield Artifact(f"{FOLDER}/{FILE_SYSTEMS}", json.dumps(table, indent=2) + "\n")
    text = collecting.workspace_file(plan)
    if collecting.NAME in names and text:
        yield Artifact(f"{FOLDER}/{collecting.WORKSPACE_FILE}", text)
    for each in (timetable, users, accounts):
        if (name := each.NAME) in names:
            place = f"s3://{references.placeholder(SCRIPTS_BUCKET)}/{tables.key(plan, each.TABLE)}"
            yield Artifact(f"{FOLDER}/{steps.SOURCES[name]}", json.dumps({"source": place}) + "\n")
    if "slurm-settings.sh" in names and slurm_conf.has_prolog(plan):
        folders = " ".join((*JOB_FOLDERS, SLURM_JOB_FILES))
        for name in ("prolog.sh", "epilog.sh"):
            yield _script(name, shell.render(f"hyperpod/{name}.j2", job_folders=folders))


def _script(name: str, text: str) -> Artifact:
    return Artifact(f"{FOLDER}/{name}", text, executable=True)


def _values(plan: Plan, mode: Mode) -> dict[str, Any]:
    return {
        # Only the entry point waits after a failure.
        "linger": 0,
        "plugin": "hyperpod/parts/pyxis-plugin.sh.j2",
        "plugin_argument": "head",
        "region": plan.region,
        "docker": mode in ("customer-managed", "legacy") and plan.software.containers == "docker",
        "slurm": mode != "kubernetes",
        "controller": plan.options_as(Options).controller,
        "controllers": plan.head.count if plan.head else 1,
        "timed": mode != "kubernetes" and timetable.wanted(plan),
        "several": bool(steps.shared_by_controllers(plan)),
        "buckets": any(isinstance(item, Bucket) for item in plan.storage),
        "accounting": mode != "extended" and plan.slurm.accounting != "off",
        **slurm_conf.values(plan),
    }
