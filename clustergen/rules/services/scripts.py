"""User scripts."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.plan.model import Plan, Role
from clustergen.rules.services import note, warning


@warning(
    "LIM005",
    "Script that runs nowhere",
    why="Where the service runs the controller, you have no head node; Kubernetes clusters have "
    "no login nodes.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions-configure.html",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head]}]}',
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head, compute]}]}',
)
def nowhere(plan: Plan) -> Iterator[Problem]:
    limit, running = plan.limits.scripts, _running(plan)
    for script in plan.software.scripts if plan.target else ():
        if not running & set(script.on):
            yield Problem(
                (*script.path, "on"),
                f"no node of this cluster is a {' or '.join(script.on)} node",
                help="add compute" if limit and not limit.login else "add compute, or login nodes",
                fix=unsafe(put((*script.path, "on"), ["compute"])),
                source=limit.source if limit else "",
            )


@note(
    "LIM007",
    "Script for nodes that do not exist",
    why="A script runs on the nodes that the cluster has. Where the service runs the controller, "
    "there is no head node; login nodes exist only if the spec has them, and never in Kubernetes "
    "clusters.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions-configure.html",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head, compute]}]}',
)
def absent(plan: Plan) -> Iterator[Problem]:
    running = _running(plan)
    for script in plan.software.scripts:
        if not plan.wrote(*script.path, "on"):
            continue
        if plan.target and not running & set(script.on):
            continue  # another rule reports these
        for index, role in enumerate(script.on):
            if role not in running:
                yield unwanted(
                    (*script.path, "on", index),
                    f"the cluster has no {role} node that could run this script",
                    help=f"remove {role}",
                )


def _running(plan: Plan) -> set[Role]:
    """The kinds of nodes in the cluster that run scripts."""
    limit = plan.limits.scripts
    login = plan.login is not None and (limit is None or limit.login)
    there: dict[Role, bool] = {"head": plan.head is not None, "login": login, "compute": True}
    return {role for role, has in there.items() if has}


@note(
    "LIM008",
    "Script at a time that the service does not have",
    why="Some services run scripts at one time only: PCS once a node is configured, EKS before it "
    "joins the cluster.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions-configure.html",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", when: start}]}',
)
def other_time(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.scripts
    if limit is None or limit.when is None:
        return
    for script in plan.software.scripts:
        if plan.wrote(*script.path, "when") and script.when != limit.when:
            yield Problem(
                (*script.path, "when"),
                f"{plan.limits.title} runs every script at the time {limit.when}",
                help=f"write {limit.when}, and make sure that the script works then",
                fix=unsafe(put((*script.path, "when"), limit.when)),
                source=limit.source,
            )
