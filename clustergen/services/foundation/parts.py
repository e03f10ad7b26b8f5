"""Building blocks of the foundation template."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import services
from clustergen.plan.model import Id, Plan, Ref, Storage
from clustergen.plan.model.foundation import Need
from clustergen.services.aws import cfn, iam


@dataclass(frozen=True, slots=True)
class Output:
    """A value that cluster stacks import; its name is the interface between the stacks."""

    description: str
    value: Any


@dataclass(frozen=True, slots=True)
class Part:
    """Resources of one concern by logical id, and outputs by name."""

    resources: Json = field(default_factory=dict)
    outputs: Mapping[str, Output] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Iterable[Self]) -> Self:
        """All resources and outputs of ``parts``."""
        every = list(parts)
        return cls(
            {name: resource for part in every for name, resource in part.resources.items()},
            {name: output for part in every for name, output in part.outputs.items()},
        )


def serves(plan: Plan, part: Need) -> bool:
    """Whether one of the targets that the foundation serves needs ``part``.

    The spec and the project file decide that, so the foundation is the same for all targets of a
    spec. A spec that is declared for none may be rendered for any.
    """
    return bool(plan.shared.served.needing(part))


def here(id: Id) -> Any:
    """An id within this template: other stacks' outputs are resources here."""
    if not isinstance(id, Ref):
        return id
    name = id.name.removesuffix("Id")
    return cfn.get_att(name, "GroupId") if name.endswith("SecurityGroup") else cfn.ref(name)


def named(plan: Plan, what: str) -> list[Json]:
    """The tags of a resource: those of the spec, and a Name for the console."""
    return cfn.tags(plan.tags, Name=f"{plan.name}-{what}")


def policy(name: str, what: str, title: str, statements: Iterable[Json]) -> Part:
    """A managed policy described as ``what``, and the output with its ARN, called ``title``."""
    properties = {"Description": what, "PolicyDocument": iam.document(statements)}
    made = cfn.resource("AWS::IAM::ManagedPolicy", properties)
    return Part({name: made}, {f"{name}Arn": Output(title, cfn.ref(name))})


def lasting(resource: Json, retain: bool) -> Json:
    """``resource`` with its deletion policies.

    Resources of a failed creation are empty; if retained, they would cost money and block their
    names for the next attempt.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
    """
    kept = ("RetainExceptOnCreate", "Retain") if retain else ("Delete", "Delete")
    return {**resource, "DeletionPolicy": kept[0], "UpdateReplacePolicy": kept[1]}


def keeps_data(storage: tuple[Storage, ...]) -> bool:
    """Whether some of ``storage`` outlives the stack, so that its network must be retained too."""
    return any(s.retain for s in storage)


def has_hyperpod(plan: Plan) -> bool:
    """Whether the foundation serves SageMaker HyperPod, and the region has it."""
    return serves(plan, "hyperpod-roles") and region_has_hyperpod(plan)


def region_has_hyperpod(plan: Plan) -> bool:
    """Whether SageMaker HyperPod is available in the region."""
    return services.available("hyperpod", plan.region) is True
