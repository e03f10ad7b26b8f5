"""What is deleted with stacks, and whether the user knows it."""

import json
from collections.abc import Iterable
from typing import Final

from clustergen.deployment import (
    cloudformation,
    foundation,
    ownership,
    resource_types,
    templates,
)
from clustergen.deployment.model import Stack
from clustergen.deployment.run import Run, json_of
from clustergen.deployment.world import Stop


def check(run: Run, roles: Iterable[str], command: str) -> list[str]:
    """What would go with stacks although the bundle does not say so: reasons not to delete.

    ``command`` deploys the bundle's templates. What the user has consented to is said.
    """
    stacks = [(role, stack) for role, stack in ownership.concerned(run) if role in roles]
    return [reason for role, stack in stacks for reason in _of_stack(run, role, stack, command)]


def _of_stack(run: Run, role: str, stack: Stack, command: str) -> list[str]:
    deployed = cloudformation.deployed_template(run.world, stack.name)
    if deployed is None:
        return []
    own = templates.own(run, role)
    if isinstance(deployed, str):
        found = "what is in it, whose template is not one of clustergen's"
    else:
        ends = templates.stores([deployed], kept=False) - templates.stores(own, kept=False)
        found = ", ".join(sorted(ends))
        stays = templates.stores([deployed], kept=True) & templates.stores(own, kept=False)
        if stays:
            run.note(
                f"Stays, as {stack.name} was deployed, and costs money: "
                f"{', '.join(sorted(stays))}. So that it is deleted, run {command} first."
            )
    if not found:
        return []
    if "replaces-resource" in run.options.allowed:
        run.note(f"Deleted with all data and logs, as {stack.name} was deployed: {found}.")
        return []
    return [
        f"the stack {stack.name} was deployed with a template that does not keep {found}: all data "
        f"and logs in it would go. Run {command} first, which deploys what this bundle says; or, "
        "if you do not need them, add --allow-replacement."
    ]


def stop(reasons: Iterable[str]) -> None:
    """Stop with all reasons at once."""
    if text := " ".join(reasons):
        raise Stop(f"{text} Nothing was deleted.")


_DELETING: Final = "deleting-foundation"
"""The file with the ids of what a run deletes."""


def known_before(run: Run) -> dict[str, str]:
    """Ids of the foundation's resources; those that an interrupted run knew, if it is gone."""
    found = cloudformation.resources(run.world, foundation.stack(run).name)
    ids = {each["LogicalResourceId"]: each.get("PhysicalResourceId") or "" for each in found}
    text = run.last_known(_DELETING, json.dumps(ids) if ids else "")
    known: dict[str, str] = json_of(text or "{}")
    return known


def explain_retained(run: Run, ids: dict[str, str]) -> None:
    """Say how to delete what remains, with its ids."""
    if not ids:
        return
    run.note("These resources remain. To delete them, run these commands in this order:")
    for name, command in resource_types.retained(run.foundation["Resources"]):
        if physical := ids.get(name):
            line = command.replace("ID", physical, 1)
            run.note(f"  aws --region {run.bundle.region} {line}")


def forget(run: Run) -> None:
    """Forget a foundation that is gone."""
    run.filled(_DELETING).unlink(missing_ok=True)
    (run.folder / ownership.ACCOUNT_FILE).unlink(missing_ok=True)
