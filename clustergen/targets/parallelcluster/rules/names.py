"""Keys of tags, and names of login pools and file systems."""

import re
from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, rename, unsafe
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.options import LoginPool, Options
from clustergen.targets.parallelcluster.rules import rule
from clustergen.targets.parallelcluster.storage import storage_name


@rule(
    "LIM106",
    "Tag reserved by ParallelCluster",
    why="ParallelCluster finds its resources by the tags that begin with `parallelcluster:`.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html",
    bad='tags: {"parallelcluster:team": research}',
)
def tag(plan: Plan) -> Iterator[Problem]:
    for path, _ in plan.tags_by_path:
        key = str(path[-1])
        if limits.is_reserved(key):
            free = key.removeprefix(limits.RESERVED_TAG_PREFIX)
            message = f"{key!r} begins with {limits.RESERVED_TAG_PREFIX}"
            fix = unsafe(rename(path, free))
            yield Problem(path, message, help=f"write {free}", fix=fix, on_key=True)


_POOLS: Path = ("targets", "parallelcluster", "more_login_pools")


@rule(
    "LIM110",
    "Name that a login pool cannot have",
    why="The names of login pools are unique in a cluster; the pool of login is called login, "
    "unless login_pool says otherwise.",
    source="pcluster.validators.cluster_validators: NameValidator, DuplicateNameValidator",
    bad="login: {}\ntargets: {parallelcluster: {more_login_pools: [{name: login}]}}",
    good="login: {}\ntargets: {parallelcluster: {more_login_pools: [{name: large}]}}",
)
def login_pools(plan: Plan) -> Iterator[Problem]:
    options = plan.options_as(Options)
    seen: set[str] = set()
    pools: list[tuple[Path, LoginPool]] = [
        (("targets", "parallelcluster", "login_pool"), options.login_pool),
        *(((*_POOLS, index), pool) for index, pool in enumerate(options.more_login_pools)),
    ]
    for path, pool in pools:
        form = re.fullmatch(rf"[a-z][a-z0-9-]{{0,{limits.MAX_NAME - 1}}}", pool.name)
        if pool.name in seen:
            message = f"another login pool is called {pool.name}"
            yield Problem((*path, "name"), message, help="give it another name")
        elif not form or pool.name == limits.RESERVED_NAME:
            yield Problem(
                (*path, "name"),
                f"no login pool can be called {pool.name}",
                help=f"write up to {limits.MAX_NAME} lower-case letters, digits and -, the first "
                f"one a letter, and not {limits.RESERVED_NAME}",
            )
        seen.add(pool.name)
    if len(pools) > limits.MAX_POOLS:
        message = f"{len(pools)} login pools; at most {limits.MAX_POOLS} are allowed"
        yield Problem(_POOLS, message, help="give a pool more nodes instead")


@rule(
    "LIM112",
    "Name that a file system cannot have",
    why="The names of file systems are unique in a cluster, and ParallelCluster compares them as "
    "if they were paths: none may lie in another.",
    source="pcluster.validators.cluster_validators: SharedStorageNameValidator, "
    "DuplicateNameValidator, OverlappingMountDirValidator",
    bad="storage: [{mount: /a, type: efs, name: home}, {mount: /b, type: efs, name: home}]",
    good="storage: [{mount: /a, type: efs, name: home}, {mount: /b, type: efs, name: tools}]",
)
def file_systems(plan: Plan) -> Iterator[Problem]:
    seen: list[str] = []
    known: set[object] = set()
    for item in plan.storage:
        name = item.name or storage_name(item.mount)
        inside = f"{name}/"  # as ParallelCluster compares: a and /a are two names
        other = next((o for o in seen if o.startswith(inside) or inside.startswith(o)), "")
        if name == limits.RESERVED_NAME:
            yield Problem(item.at("name"), f"{name} is reserved", help="give it another name")
        elif other:
            message = f"{name!r} and {other[:-1]!r} are the names of two file systems"
            yield Problem(item.at("name"), message, help="give it another name, without a /")
        seen.append(inside)
        if item.existing and item.id in known:
            message = f"{item.id} is mounted twice"
            yield Problem(item.at("existing"), message, help="mount it once")
        known.add(item.id)


@rule(
    "LIM111",
    "Login pools without login nodes",
    why="The first pool is that of login: login_pool describes it, and the others are rendered "
    "with it.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html",
    bad="targets: {parallelcluster: {more_login_pools: [{name: large}]}}",
    good="login: {}\ntargets: {parallelcluster: {more_login_pools: [{name: large}]}}",
)
def first_login_pool(plan: Plan) -> Iterator[Problem]:
    for name in ("login_pool", "more_login_pools"):
        path = ("targets", "parallelcluster", name)
        if plan.wrote(*path) and not (plan.login or plan.stopped_login):
            message = f"{name}, but no login nodes"
            yield Problem(path, message, help="write login: {}, with a count above 0, or remove it")
