"""Names in a spec: unique, and defined if used."""

import difflib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from clustergen.base.findings import (
    Path,
    Problem,
    corrected,
    drop,
    put,
    rule,
    safe,
    unsafe,
    unwanted,
    warning,
)
from clustergen.spec import Spec

_LANGUAGE = "the language, version 1"


@rule(
    "SPC030",
    "Name used twice",
    why="Queues, files and overlays refer to things by name, so each name must be unique.",
    source=_LANGUAGE,
    bad="queues: [{name: train, node_groups: [h200]}, {name: train, node_groups: [h200]}]",
    fatal=True,
)
def unique(spec: Spec) -> Iterator[Problem]:
    yield from _taken(("node_groups",), spec.node_groups, "name")
    yield from _taken(("queues",), spec.queues, "name")
    yield from _taken(("slurm", "accounts"), spec.slurm.accounts, "name")
    yield from _taken(("slurm", "qos"), spec.slurm.qos, "name")
    for path, items in _lists(spec):
        for index, item in enumerate(items):
            if item in items[:index]:
                yield Problem(
                    (*path, index),
                    f"{item!r} is listed twice",
                    help="remove one",
                    fix=safe(drop((*path, index))),
                )


def _lists(spec: Spec) -> Iterator[tuple[Path, Sequence[str]]]:
    """The lists that must not contain duplicates."""
    for index, group in enumerate(spec.node_groups):
        yield ("node_groups", index, "instance_types"), group.instance_types
        yield ("node_groups", index, "health_checks"), group.health_checks
    network = spec.network
    for field in ("private_subnets", "public_subnets", "control_plane_subnets"):
        yield ("network", field), [subnet.id for subnet in getattr(network, field)]
    yield ("network", "security_groups"), network.security_groups
    yield ("network", "ssh_from"), network.ssh_from
    yield ("kubernetes", "admins"), spec.kubernetes.admins
    for index, access in enumerate(spec.kubernetes.access):
        yield ("kubernetes", "access", index, "queues"), access.queues
    yield ("kubernetes", "public_endpoint_from"), spec.kubernetes.public_endpoint_from
    for index, account in enumerate(spec.slurm.accounts):
        yield ("slurm", "accounts", index, "users"), account.users
        yield ("slurm", "accounts", index, "qos"), account.qos
    for index, storage in enumerate(spec.storage):
        for number, repository in enumerate(getattr(storage, "data_repositories", ())):
            path: Path = ("storage", index, "data_repositories", number)
            yield (*path, "import"), repository.import_
            yield (*path, "export"), repository.export
    yield from _references(spec)


def _taken(at: Path, items: Iterable[object], field: str) -> Iterator[Problem]:
    """The items at ``at`` whose ``field`` has the name or number of an earlier one."""
    seen: dict[object, int] = {}
    names = [getattr(item, field) for item in items]
    for index, name in enumerate(names):
        if name in seen:
            yield Problem(
                (*at, index, field),
                f"{name!r} is taken by {'.'.join(map(str, at))}[{seen[name]}]",
                help=f"give one of them another {field}",
                fix=unsafe(put((*at, index, field), _another(name, names))),
            )
        seen.setdefault(name, index)


def _another(name: object, names: Sequence[object]) -> object:
    """A name or number that is free."""
    numbers = itertools.count(2)
    if isinstance(name, int):
        return max(each for each in names if isinstance(each, int)) + 1
    return next(new for number in numbers if (new := f"{name}-{number}") not in names)


@rule(
    "SPC031",
    "Unknown node group",
    fixes="safe or unsafe",
    why="A queue or a script refers to a node group that the spec does not define.",
    source=_LANGUAGE,
    bad="queues: [{name: train, node_groups: [h100]}]",
    fatal=True,
)
def known_groups(spec: Spec) -> Iterator[Problem]:
    groups = [group.name for group in spec.node_groups]
    for path, names in _references(spec):
        for index, name in enumerate(names):
            if name not in groups:
                yield _unknown((*path, index), "node group", name, groups, "node_groups")


@rule(
    "SPC058",
    "Unknown queue",
    why="Access to a queue that the spec does not define gives access to nothing.",
    source=_LANGUAGE,
    fixes="safe or unsafe",
    bad="""queues: [{name: train, node_groups: [h200]}]
kubernetes: {access: [{principal: "arn:aws:iam::111122223333:role/vision", queues: [trian]}]}""",
    fatal=True,
)
def known_queues(spec: Spec) -> Iterator[Problem]:
    queues = [queue.name for queue in spec.queues]
    for index, access in enumerate(spec.kubernetes.access):
        for number, name in enumerate(access.queues):
            if name not in queues:
                path = ("kubernetes", "access", index, "queues", number)
                yield _unknown(path, "queue", name, queues, "queues")


@rule(
    "SPC052",
    "Unknown account or quality of service",
    why="Parents of accounts and preempted qualities of service must be defined in the spec. No "
    "account is part of itself.",
    source="https://slurm.schedmd.com/sacctmgr.html",
    bad="slurm: {accounting: managed, accounts: [{name: vision, parent: research}]}",
    good="slurm: {accounting: managed, accounts: [{name: research}, "
    "{name: vision, parent: research}]}",
)
def known_accounts(spec: Spec) -> Iterator[Problem]:
    parents = {account.name: account.parent for account in spec.slurm.accounts}
    qos = [each.name for each in spec.slurm.qos]
    for index, account in enumerate(spec.slurm.accounts):
        path: Path = ("slurm", "accounts", index)
        if account.parent is not None and account.parent not in parents:
            yield _unknown(
                (*path, "parent"), "account", account.parent, [*parents], "slurm.accounts"
            )
        elif _is_circular(account.name, parents):
            yield Problem(
                (*path, "parent"),
                f"account {account.name!r} is part of itself",
                help="remove one of the parents",
            )
        for number, name in enumerate(account.qos):
            if name not in (*qos, "normal"):
                yield _unknown((*path, "qos", number), "quality of service", name, qos, "slurm.qos")
    for index, each in enumerate(spec.slurm.qos):
        for number, name in enumerate(each.preempts):
            if name not in (*qos, "normal"):
                place = ("slurm", "qos", index, "preempts", number)
                yield _unknown(place, "quality of service", name, qos, "slurm.qos")


def _is_circular(name: str, parents: Mapping[str, str | None]) -> bool:
    above = parents.get(name)
    for _ in parents:
        if above == name:
            return True
        above = parents.get(above) if above else None
    return False


def _unknown(path: Path, what: str, name: str, known: Sequence[str], section: str) -> Problem:
    """``name`` is none of ``known``, which ``section`` of the spec defines."""
    near = difflib.get_close_matches(name, known, n=1)
    others = f"the spec defines {', '.join(known)}" if known else f"define it in {section}"
    return Problem(
        path,
        f"no {what} is called {name!r}",
        help=f"did you mean {near[0]}?" if near else others,
        fix=corrected(path, name, near[0]) if near else None,
    )


def _references(spec: Spec) -> Iterator[tuple[Path, Sequence[str]]]:
    """The lists of node groups' names in queues and scripts."""
    for index, queue in enumerate(spec.queues):
        yield ("queues", index, "node_groups"), queue.node_groups
    for index, script in enumerate(spec.software.scripts):
        yield ("software", "scripts", index, "node_groups"), script.node_groups


@rule(
    "SPC032",
    "More than one default queue",
    why="Jobs that name no queue can go to one place only.",
    source="https://slurm.schedmd.com/slurm.conf.html#OPT_Default",
    bad="""queues:
  - {name: train, node_groups: [h200], default: true}
  - {name: debug, node_groups: [h200], default: true}""",
)
def one_default(spec: Spec) -> Iterator[Problem]:
    defaults = [index for index, queue in enumerate(spec.queues) if queue.default]
    for index in defaults[1:]:
        yield unwanted(
            ("queues", index, "default"),
            f"queue {spec.queues[defaults[0]].name!r} is already the default",
            help="keep default: true in one of them",
        )


@warning(
    "SPC033",
    "Node group in no queue",
    why="Jobs can never reach its nodes, which may still cost money.",
    source=_LANGUAGE,
    bad="""node_groups: [{name: h200}, {name: cpu, instance_type: m7i.4xlarge, count: 1}]
queues: [{name: train, node_groups: [h200]}]""",
)
def reached_groups(spec: Spec) -> Iterator[Problem]:
    reached = {name for queue in spec.queues for name in queue.node_groups}
    known = {group.name for group in spec.node_groups}
    # A queue may mean a group by a name that does not exist, which is SPC031.
    for index, group in enumerate(spec.node_groups if reached and reached <= known else ()):
        if group.name not in reached:
            queue = {"name": group.name, "node_groups": [group.name]}
            yield Problem(
                ("node_groups", index, "name"),
                f"node group {group.name!r} is in no queue",
                help=f"name it in a queue, or add {{name: {group.name}, "
                f"node_groups: [{group.name}]}}",
                fix=unsafe(put(("queues", len(spec.queues)), queue)),
            )


@rule(
    "SPC034",
    "Login name or uid used twice",
    why="Files belong to a uid: two users with one uid own each other's files.",
    source=_LANGUAGE,
    bad="users: [{name: alice, uid: 2001}, {name: bob, uid: 2001}]",
)
def unique_users(spec: Spec) -> Iterator[Problem]:
    yield from _taken(("users",), spec.users, "name")
    yield from _taken(("users",), spec.users, "uid")


@rule(
    "SPC044",
    "Tag keys that differ in case only",
    why="IAM does not tell such keys apart, so no role can have both tags.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html#id_tags_rules_keys",
    bad="tags: {team: research, Team: research}",
)
def tag_case(spec: Spec) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for key in spec.tags:
        other = seen.setdefault(key.lower(), key)
        if other != key:
            yield unwanted(
                ("tags", key),
                f"{key!r} and {other!r} differ in case only",
                help="remove one of the two",
                on_key=True,
            )
