"""Names: each given once, and each that is used given."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from clustergen.findings import Finding, Path, Rule, Severity

if TYPE_CHECKING:
    from clustergen.spec.model import Spec

LANGUAGE = "the language, version 1"

DUPLICATE = Rule(
    code="SPC030",
    title="Name used twice",
    why="Queues, files and overlays refer to things by name: two of a name cannot be told apart.",
    source=LANGUAGE,
    bad="queues: [{name: train, node_groups: [h200]}, {name: train, node_groups: [h200]}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
UNKNOWN_GROUP = Rule(
    code="SPC031",
    title="No such node group",
    why="A queue or a script refers to a node group that the spec does not have.",
    source=LANGUAGE,
    bad="queues: [{name: train, node_groups: [h100]}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
TWO_DEFAULTS = Rule(
    code="SPC032",
    title="More than one default queue",
    why="Jobs that name no queue can go to one place only.",
    source="https://slurm.schedmd.com/slurm.conf.html#OPT_Default",
    bad="""queues:
  - {name: train, node_groups: [h200], default: true}
  - {name: debug, node_groups: [h200], default: true}""",
    good="queues: [{name: train, node_groups: [h200], default: true}]",
)
UNREACHED_GROUP = Rule(
    code="SPC033",
    title="Node group in no queue",
    why="Jobs can never reach its nodes, which may cost money all the same.",
    source=LANGUAGE,
    severity=Severity.WARNING,
    bad="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cpu, instance_type: m7i.4xlarge, count: 1}
queues: [{name: train, node_groups: [h200]}]""",
    good="queues: [{name: train, node_groups: [h200]}]",
)
DUPLICATE_USER = Rule(
    code="SPC034",
    title="Login name or uid used twice",
    why="Files belong to a uid: two people with one uid own each other's files.",
    source=LANGUAGE,
    bad="users: [{name: alice, uid: 2001}, {name: bob, uid: 2001}]",
    good="users: [{name: alice, uid: 2001}, {name: bob, uid: 2002}]",
)
RULES = (DUPLICATE, UNKNOWN_GROUP, TWO_DEFAULTS, UNREACHED_GROUP, DUPLICATE_USER)


def check(spec: Spec) -> Iterator[Finding]:
    """Findings on names and what refers to them."""
    groups = [group.name for group in spec.node_groups]
    yield from _twice(("node_groups",), groups, "name")
    yield from _twice(("queues",), (queue.name for queue in spec.queues), "name")
    for index, group in enumerate(spec.node_groups):
        yield from _repeated(("node_groups", index, "instance_types"), group.instance_types)
    network = spec.network
    for field in ("private_subnets", "public_subnets", "control_plane_subnets"):
        yield from _repeated(("network", field), [s.id for s in getattr(network, field)])
    yield from _repeated(("network", "security_groups"), network.security_groups)
    yield from _unknown_groups(spec, groups)
    yield from _defaults(spec)
    yield from _users(spec)
    if spec.queues:
        reached = {name for queue in spec.queues for name in queue.node_groups}
        for index, name in enumerate(groups):
            if name not in reached:
                yield UNREACHED_GROUP.at(
                    ("node_groups", index, "name"),
                    f"node group {name!r} is in no queue",
                    help=f"name it in a queue, or add {{name: {name}, node_groups: [{name}]}}",
                )


def _twice(
    at: Path, names: Iterable[object], field: str, rule: Rule = DUPLICATE
) -> Iterator[Finding]:
    seen: dict[object, int] = {}
    for index, name in enumerate(names):
        if name in seen:
            yield rule.at(
                (*at, index, field),
                f"{name!r} is taken by {at[0]}[{seen[name]}]",
                help=f"give one of them another {field}",
            )
        seen.setdefault(name, index)


def _unknown_groups(spec: Spec, groups: list[str]) -> Iterator[Finding]:
    users: list[tuple[Path, list[str]]] = [
        *((("queues", i, "node_groups"), queue.node_groups) for i, queue in enumerate(spec.queues)),
        *(
            (("software", "scripts", i, "node_groups"), script.node_groups)
            for i, script in enumerate(spec.software.scripts)
        ),
    ]
    for path, names in users:
        for index, name in enumerate(names):
            if name not in groups:
                near = difflib.get_close_matches(name, groups, n=1)
                help = f"did you mean {near[0]}?" if near else f"there are {', '.join(groups)}"
                yield UNKNOWN_GROUP.at(
                    (*path, index), f"no node group is called {name!r}", help=help
                )
        yield from _repeated(path, names)


def _repeated(path: Path, items: Sequence[str]) -> Iterator[Finding]:
    for index, item in enumerate(items):
        if item in items[:index]:
            yield DUPLICATE.at((*path, index), f"{item!r} stands here twice", help="leave one out")


def _defaults(spec: Spec) -> Iterator[Finding]:
    defaults = [index for index, queue in enumerate(spec.queues) if queue.default]
    for index in defaults[1:]:
        first = spec.queues[defaults[0]].name
        yield TWO_DEFAULTS.at(
            ("queues", index, "default"),
            f"queue {first!r} is the default already",
            help="keep default: true in one of them",
        )


def _users(spec: Spec) -> Iterator[Finding]:
    yield from _twice(("users",), (user.name for user in spec.users), "name", DUPLICATE_USER)
    yield from _twice(("users",), (user.uid for user in spec.users), "uid", DUPLICATE_USER)
