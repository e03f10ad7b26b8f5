"""Access entries of EKS: it rejects a second one of the same role or user."""

import json
from collections.abc import Iterable, Mapping

from clustergen.deployment import cloudformation
from clustergen.deployment.model import Stack
from clustergen.deployment.run import Run
from clustergen.deployment.stacks import Template
from clustergen.deployment.world import Stop

_ENTRY = "AWS::EKS::AccessEntry"
_FIELDS = "kubernetes.admins and kubernetes.access"


def check_administrators(run: Run, stack: Stack, name: str, admins: Iterable[str]) -> None:
    """Stop before EKS rejects a second access entry.

    It creates one for the identity that creates a cluster.
    """
    if run.options.rehearses:
        return
    if run.world.ask("eks:DescribeCluster", name=name) is None:
        _check_creator(run, admins)
    else:
        _check_entries(run, stack, name, admins)


def _short(arn: str) -> str:
    """Account, kind and name of a role or user; sessions have no path."""
    first, _, name = arn.rpartition("/")
    kind = first.partition("/")[0].split(":", 4)[-1]
    return f"{kind}/{name}"


def _check_creator(run: Run, admins: Iterable[str]) -> None:
    caller: str = run.world.need("sts:GetCallerIdentity", "Arn")
    if ":assumed-role/" in caller:
        caller = caller.rpartition("/")[0].replace(":assumed-role", ":role")
    for admin in admins:
        if _short(caller) == admin:
            raise Stop(
                f"{admin.rpartition('/')[2]} creates the cluster and so is an administrator "
                f"already: remove it from {_FIELDS}"
            )


def _check_entries(run: Run, stack: Stack, name: str, admins: Iterable[str]) -> None:
    """The entry of who created the cluster, and entries made elsewhere, are not in the stack."""
    doubts: list[str] = []
    call, member = "eks:ListAccessEntries", "accessEntries"
    entries = run.world.allowed_all(doubts, call, member, clusterName=name)
    if doubts:
        run.note(
            f"{'; '.join(doubts)}\nSo it is not known who has access already. CloudFormation "
            "rejects a second access entry of a role or user, and takes the change back."
        )
        return
    stacked = {_short(principal) for principal in _stacked(run, stack)}
    for entry in entries:
        admin = _short(entry)
        if admin in admins and admin not in stacked:
            raise Stop(
                f"{admin.rpartition('/')[2]} has access to the cluster already, as who created it "
                "or by an entry of others, and EKS rejects a second entry. Nothing was changed. "
                f"Remove it from {_FIELDS}; or delete that entry first, so that this stack creates "
                f"it: aws eks delete-access-entry --region {run.bundle.region} --cluster-name "
                f"{name} --principal-arn {entry}"
            )


def _stacked(run: Run, stack: Stack) -> Mapping[str, str]:
    """Principals of the access entries of a stack, and their logical ids.

    CloudFormation's id of an access entry is PRINCIPAL|CLUSTER.
    """
    found = cloudformation.resources(run.world, stack.name)
    entries = (each for each in found if each["ResourceType"] == _ENTRY)
    return {
        (each.get("PhysicalResourceId") or "").partition("|")[0]: each["LogicalResourceId"]
        for each in entries
    }


def kept_entries(
    run: Run, stack: Stack, entries: Mapping[str, str], template: Template
) -> Template:
    """The template with access entries under the logical ids that they have in the stack.

    ``entries`` has their principals by logical id. With another id, CloudFormation would create an
    entry beside the present one, which EKS rejects.
    """
    known = _stacked(run, stack) if entries and not run.options.rehearses else {}
    moved = {id: known[p] for id, p in entries.items() if known.get(p, id) != id}
    if not moved:
        return template
    text = json.dumps(template.content, indent=2)
    for id, kept in moved.items():
        text = text.replace(f'"{id}"', f'"{kept}"')
    return Template(run.write(template.path, text), json.loads(text))
