"""What the files beside the document of a cluster say: other templates, objects of Kubernetes."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from clustergen.base.patterns import pattern
from clustergen.importing.cloudformation.functions import as_text
from clustergen.importing.cloudformation.stacks import NESTED, Given, Resource, Stacks
from clustergen.importing.machines import section
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source
from clustergen.importing.settings import Json

_NAMED: Final = pattern(r"(?:\x02|\$\{)([^\x03}]*)[\x03}]")
"""What a text refers to: by a reference, or by a placeholder."""


class Beside:
    """The resources of all templates that are given, found by what documents call them."""

    def __init__(self, sources: Sequence[Source], given: Given) -> None:
        stacks = Stacks([each for each in sources if each.is_template], given)
        self.resources = {each.id: each for each in stacks.resources()}
        self._objects = [each.data for each in sources if each.is_object]
        self._outputs = {name: value for stack in stacks.roots for name, value in stack.outputs()}

    def resource(self, value: Any, within: frozenset[str] = frozenset()) -> Resource | None:
        """The resource that a reference or a placeholder means; None if no file has it.

        What gets the outputs of a stack has them under the names that they have there.
        """
        for name in _NAMED.findall(as_text(value)):
            if name in self._outputs and name not in within:
                return self.resource(self._outputs[name], within | {name})
            steps = name.split(".")  # those of an attribute are the last ones
            ids = (".".join(steps[:number]) for number in range(len(steps), 0, -1))
            if id := next((id for id in ids if id in self.resources), ""):
                return self.resources[id]
        return None

    def objects(self, kind: str) -> dict[str, Json]:
        """The objects of Kubernetes of a kind, by name."""
        found = [each for each in self._objects if each["kind"] == kind]
        return {str(section(each, "metadata").get("name")): each for each in found}

    def of_type(self, type: str) -> Iterator[Resource]:
        return (each for each in self.resources.values() if each.type == type)

    def report(self, known: Collection[str], notes: Notes) -> None:
        """Says which resources are no part of the cluster; ``known`` are the types of those."""
        report([each for each in self.resources.values() if each.type not in known], notes)


NOTHING: Final = Beside((), Given({}, "", ""))


def report(others: Sequence[Resource], notes: Notes) -> None:
    """What stays in its own stack."""
    if stay := by_type(each.type for each in others if each.type != NESTED):
        notes.dropped((), f"no part of the cluster, so their stack keeps them: {stay}")
    for nested in (each for each in others if each.type == NESTED):
        notes.dropped((), f"the nested stack {nested.id}: its template is not among the files")


def by_type(types: Iterable[str]) -> str:
    """How many there are of each type."""
    counted = sorted(Counter(types).items())
    return ", ".join(f"{number} of {type}" for type, number in counted)
