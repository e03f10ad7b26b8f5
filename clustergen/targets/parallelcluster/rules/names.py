"""Keys of tags, and names of login pools."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, rename, unsafe
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.rules import rule


@rule(
    "LIM106",
    "Tag reserved by ParallelCluster",
    fixes="unsafe",
    why="ParallelCluster finds its resources by the tags that begin with `parallelcluster:`.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html",
    bad='tags: {"parallelcluster:team": research}',
    good="tags: {team: research}",
)
def tag(plan: Plan) -> Iterator[Problem]:
    for path, _ in plan.tags_by_path:
        key = str(path[-1])
        if key.startswith(limits.RESERVED_TAG_PREFIX):
            yield Problem(
                path,
                f"{key!r} begins with {limits.RESERVED_TAG_PREFIX}",
                help=f"write {key.removeprefix(limits.RESERVED_TAG_PREFIX)}",
                fix=unsafe(rename(path, key.removeprefix(limits.RESERVED_TAG_PREFIX))),
                on_key=True,
            )


_POOLS: Path = ("targets", "parallelcluster", "more_login_pools")


@rule(
    "LIM110",
    "Login pools of the same name",
    why="The names of login pools are unique in a cluster; the pool of login is called login, "
    "unless login_pool says otherwise.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html",
    bad="login: {}\ntargets: {parallelcluster: {more_login_pools: [{name: login}]}}",
    good="login: {}\ntargets: {parallelcluster: {more_login_pools: [{name: large}]}}",
)
def login_pools(plan: Plan) -> Iterator[Problem]:
    options = plan.options_as(Options)
    seen = {options.login_pool.name}
    for index, pool in enumerate(options.more_login_pools):
        if pool.name in seen:
            message = f"another login pool is called {pool.name}"
            yield Problem((*_POOLS, index, "name"), message, help="give it another name")
        seen.add(pool.name)


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
