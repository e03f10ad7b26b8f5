"""What templates say: those of the bundle, and those that are deployed."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.deployment import resource_types
from clustergen.deployment.run import Run

_STORES: Final = {*resource_types.STORES, *resource_types.OTHER_DATA}
"""Types of what holds data, logs included."""
_LOGS: Final = "AWS::Logs::LogGroup"


def own(run: Run, role: str) -> list[Json]:
    """The templates of the bundle that may be about a stack: that of the foundation, or the others.

    A template of an earlier bundle may have had another role.
    """
    roles = [each for each in run.bundle.stacks if (each == "foundation") == (role == "foundation")]
    found = [run.template(each) for each in roles]
    return [template for template in found if template["Resources"]]


def resources(template: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Logical id, type and deletion policy of each resource."""
    for name, resource in template.get("Resources", {}).items():
        yield name, str(resource.get("Type")), str(resource.get("DeletionPolicy", ""))


def stores(templates: Iterable[Json], *, kept: bool) -> set[str]:
    """What holds data and goes with the stack; with ``kept``, what stays."""
    every = (each for template in templates for each in resources(template))
    return {
        name
        for name, type, policy in every
        if type in _STORES and policy.startswith(("Retain", "Snapshot")) == kept
    }


def kept_log_groups(template: Json) -> list[str]:
    """The names of the log groups in a template that outlive the stack."""
    found = (each for each in template["Resources"].values() if each.get("Type") == _LOGS)
    kept = (each for each in found if each.get("DeletionPolicy", "").startswith("Retain"))
    names = (each.get("Properties", {}).get("LogGroupName") for each in kept)
    return [name for name in names if isinstance(name, str)]


def with_resources(template: Json, deployed: Json, names: Iterable[str]) -> Json:
    """The template with resources of the deployed one.

    :raises KeyError: if the deployed one has none of such a name.
    """
    kept = {name: deployed["Resources"][name] for name in names}
    return {**template, "Resources": {**template["Resources"], **kept}}


_NAMED: Final = re.compile(
    '"(RoleName|InstanceProfileName|ManagedPolicyName|UserName)":|"AWS::IAM::Group"'
)


def capability(text: str) -> str:
    """What the user acknowledges. Templates that clustergen did not write can name roles.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html
    """
    return "CAPABILITY_NAMED_IAM" if _NAMED.search(text) else "CAPABILITY_IAM"
