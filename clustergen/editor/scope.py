"""An open text with the other files of its cluster: where names are defined and used."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clustergen.base.findings import Path
from clustergen.editor.outline import Kind, Node, generic
from clustergen.editor.texts import Text
from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType


class File(NamedTuple):
    """A file of a spec: its text, and the root of its outline."""

    text: Text
    roots: list[Node]

    @property
    def root(self) -> Node:
        """The spec; a text with several documents has others behind it."""
        return self.roots[0]


class Name(NamedTuple):
    """A kind of name: where it is defined, and where it is used. ``*`` is any index."""

    title: str
    defined: Path
    used: tuple[Path, ...]


NAMES = (
    Name(
        "node group",
        ("node_groups", "*", "name"),
        (
            ("queues", "*", "node_groups", "*"),
            ("software", "scripts", "*", "node_groups", "*"),
            ("targets", "parallelcluster", "own_security_groups", "*"),
        ),
    ),
    Name("queue", ("queues", "*", "name"), (("kubernetes", "access", "*", "queues", "*"),)),
    Name("account", ("slurm", "accounts", "*", "name"), (("slurm", "accounts", "*", "parent"),)),
    Name(
        "quality of service",
        ("slurm", "qos", "*", "name"),
        (("slurm", "accounts", "*", "qos", "*"), ("slurm", "qos", "*", "preempts", "*")),
    ),
    Name("user", ("users", "*", "name"), (("slurm", "accounts", "*", "users", "*"),)),
)


def name_at(path: Path) -> Name | None:
    """The kind of name that is defined or used at ``path``."""
    form = generic(path)
    return next((name for name in NAMES if form == name.defined or form in name.used), None)


class Place(NamedTuple):
    """A scalar in a file."""

    file: File
    node: Node


class Scope(NamedTuple):
    """The files of a spec, the open one first."""

    files: Sequence[File]

    def definitions(self, name: Name, word: str = "") -> list[Place]:
        """Where names of this kind are defined; with ``word``, only that name."""
        return list(self._places((name.defined,), word))

    def uses(self, name: Name, word: str) -> list[Place]:
        return list(self._places(name.used, word))

    def text_at(self, *path: str) -> str:
        """The text at ``path`` in the first file that has it."""
        return next((found for file in self.files if (found := file.root.text_at(*path))), "")

    @property
    def region(self) -> str:
        return self.text_at("region")

    @property
    def zone(self) -> str:
        return self.text_at("network", "zone")

    def types(self) -> list[InstanceType]:
        """The instance types of the node groups."""
        named = (("node_groups", "*", "instance_type"), ("node_groups", "*", "instance_types", "*"))
        words = dict.fromkeys(place.node.text for place in self._places(named, ""))
        return [found for word in words if (found := catalog.find(word))]

    def _places(self, paths: Sequence[Path], word: str) -> Iterator[Place]:
        for file in self.files:
            for form in paths:
                for node in file.root.matching(form):
                    if node.kind is Kind.SCALAR and word in ("", node.text):
                        yield Place(file, node)
