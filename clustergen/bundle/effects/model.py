"""What deploying a bundle over an earlier one does."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, get_args

Kind = Literal[
    "none",
    "in-place",
    "new-nodes-only",
    "leftover",
    "replaces-nodes",
    "ends-sessions",
    "removes-nodes",
    "needs-stop",
    "replaces-resource",
    "unknown",
    "refused",
    "data-at-risk",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""From harmless to dangerous."""

MEANINGS: Mapping[Kind, str] = {
    "none": "nothing that runs changes",
    "in-place": "the service changes what exists",
    "new-nodes-only": "running nodes keep the old value",
    "leftover": "something old stays, runs or costs money until you delete it",
    "replaces-nodes": "nodes are replaced: jobs of Slurm end first, sessions and pods do not",
    "ends-sessions": "login nodes are terminated, with the sessions on them",
    "removes-nodes": "nodes are terminated, with the jobs on them",
    "needs-stop": "refused while nodes run; accepted once they are stopped",
    "unknown": "the documents cannot be compared",
    "replaces-resource": "a resource is replaced or deleted; it holds no data",
    "refused": "the service rejects the change",
    "data-at-risk": "data is deleted, replaced by an empty file system, or abandoned",
}


class Effect(NamedTuple):
    """An effect: its kind, on what, because of which change, in words that go on "deploying it"."""

    kind: Kind
    subject: str
    """A logical id, the path of a key, the name of an instance group, or an object."""
    cause: str
    """The property that changes; empty where the subject itself comes or goes."""
    text: str
    source: str = ""
    """The URL of the rule of the service."""
    stays: str = ""
    """What stays behind, and continues to cost money."""
    type: str = ""
    """The type of the resource; empty outside CloudFormation and Kubernetes."""
    file: str = ""
    ends: Literal["", "deleted", "replaced", "nodes"] = ""
    """What ends: the subject, deleted or replaced by another one, or the nodes of a group."""
    loses: bool = False
    """Whether the subject is deleted with its data."""

    @property
    def rank(self) -> int:
        return KINDS.index(self.kind)


def worst(effects: Iterable[Effect]) -> Kind:
    """The most dangerous kind; ``none`` without effects."""
    return max((each.kind for each in effects), key=KINDS.index, default="none")
