"""What the actions do, on every service: in which order, and what stops them."""

from collections.abc import Callable, Mapping
from typing import Final

from clustergen.deployment import (
    bucket,
    cloudformation,
    daily,
    foundation,
    losses,
    ownership,
    references,
    stacks,
)
from clustergen.deployment.cluster import Cluster
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.side_stacks import SideStack
from clustergen.deployment.stacks import ChangeSet
from clustergen.deployment.world import Stop

_SPOT: Final = "AWSServiceRoleForEC2Spot"


def perform(run: Run, cluster: Cluster) -> None:
    """Perform the action that the user wants; raises Stop if it cannot be done, or fails."""
    if not run.options.rehearses:
        if run.options.action not in DAILY:
            run.world.require(*cluster.programs)
        here = ownership.check(run)
        if run.options.action != "destroy-foundation":
            cluster.check_owner()
        if not run.options.plan:
            ownership.record(run, here)
    try:
        ACTIONS[run.options.action](run, cluster)
    finally:
        stacks.drop_all(run)


def deploy(run: Run, cluster: Cluster) -> None:
    """Create or update everything; running it again changes nothing."""
    _check_first(run, cluster)
    founding = _review(run, cluster)
    if run.options.plan:
        return
    removed = foundation.deploy(run, founding)
    outputs = foundation.outputs(run)
    bucket.upload(run, outputs)
    _make_spot_role(run)
    cluster.examine(outputs)
    bucket.upload_tables(run, outputs)
    cluster.change(outputs)
    cluster.install(outputs)
    _deploy_schedules(run, cluster, outputs)
    cluster.settle()
    lacking = cluster.wait()
    # Last: the alerts of a cluster that is not there yet would fire.
    _deploy_alerts(run, outputs, paused=_knows_pause(run) and cluster.is_stopped())
    foundation.finish(run, removed)
    run.world.screen.result(cluster.report())
    if lacking:
        raise Stop(f"{run.bundle.cluster} is deployed, but not all of its nodes: {lacking}")
    run.conclude(f"{run.bundle.cluster} is deployed.")


def deploy_foundation(run: Run, cluster: Cluster) -> None:
    """Create or update the foundation alone."""
    if not run.founded:
        raise Stop("this bundle has no foundation: it uses existing resources only")
    if run.options.outputs:
        raise Stop("--outputs FILE leaves the foundation alone: use one of the two")
    _check_adopted(run)
    cluster.check()
    found = _review(run, cluster, alone=True)
    if run.options.plan:
        return
    foundation.deploy(run, found)
    run.conclude(f"{foundation.stack(run).name} is deployed.")


def _check_first(run: Run, cluster: Cluster) -> None:
    _check_adopted(run)
    if cluster.is_paused(foundation.outputs(run)):
        cluster.while_paused()
    cluster.check()


def _check_adopted(run: Run) -> None:
    """The cluster exists in its stack: a new stack would start another one."""
    stack = run.stack("cluster")
    if run.bundle.creates or stack is None:
        return
    if cloudformation.status(run.world, stack.name) in cloudformation.UNUSED:
        raise Stop(
            f"no stack {stack.name} has a cluster in {run.bundle.region}, and this bundle does not "
            "create one: write the stack of the cluster into "
            f"targets.{run.bundle.target}.stack."
        )


def _review(run: Run, cluster: Cluster, *, alone: bool = False) -> ChangeSet | None:
    """The change of the foundation, once that of the cluster is accepted, too.

    A rejected cluster would leave a changed foundation. A cluster that is not there yet, or needs
    what the foundation does not have yet, is examined once the foundation has changed. ``alone`` is
    whether nothing else will change: then, only a changed foundation concerns the cluster.
    """
    found = foundation.review(run) if run.founded and not run.options.outputs else None
    guards = {foundation.stack(run).name: foundation.guards(run, found)} if found else {}
    reviewed = cluster.review(foundation.outputs(run)) if found or not alone else {}
    run.agree({**guards, **reviewed})
    return found


def _make_spot_role(run: Run) -> None:
    """EC2 starts Spot instances with this role.

    It exists if the account ever requested Spot instances in the console.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/service-linked-roles-spot-instance-requests.html
    """
    if run.bundle.spot and run.world.ask("iam:GetRole", RoleName=_SPOT) is None:
        run.world.change("iam:CreateServiceLinkedRole", AWSServiceName="spot.amazonaws.com")


def _deploy_schedules(run: Run, cluster: Cluster, outputs: Outputs) -> None:
    if stack := run.stack("schedule"):
        known = {**outputs, **cluster.outputs()} if stack.template else outputs
        SideStack(run, "schedule").deploy(known)


def _deploy_alerts(run: Run, outputs: Outputs, *, paused: bool) -> None:
    if run.stack("monitoring"):
        SideStack(run, "monitoring").deploy(outputs, paused=paused)


def _delete_schedules(run: Run) -> None:
    """Schedules change the sizes of node groups."""
    if stack := run.stack("schedule"):
        stacks.delete(run, stack, quietly=True)


def pause(run: Run, cluster: Cluster) -> None:
    """Scale node groups to zero, and remember their sizes."""
    outputs, name = foundation.outputs(run), run.bundle.cluster
    if cluster.ends_jobs:
        run.note(
            "Running jobs on the nodes that stop end, and what is on root volumes and local disks "
            "of these goes. README.md has the commands to let jobs finish first."
        )
    # Counts that are kept already are the true ones: the groups have no nodes since.
    rows = cluster.recall(outputs) if cluster.remembers else None
    if run.options.plan:
        return
    if rows is None:
        rows = cluster.counts()
        if cluster.remembers:
            if not rows:
                raise Stop(f"{name} does not exist, or has no node groups")
            bucket.remember(run, outputs, cluster.memory, rows)
    _delete_schedules(run)
    cluster.stop(rows)
    _switch_alerts(run, outputs, paused=True)
    run.conclude(
        f"{name} is paused. deploy.sh --resume restores its nodes. These continue to cost money: "
        f"{', '.join(run.bundle.billed)}."
    )


def _switch_alerts(run: Run, outputs: Outputs, *, paused: bool) -> None:
    """Turn alerts on nodes that are not there off, or on again."""
    stack = run.stack("monitoring")
    if stack and _knows_pause(run) and cloudformation.status(run.world, stack.name):
        _deploy_alerts(run, outputs, paused=paused)


def _knows_pause(run: Run) -> bool:
    """Whether the alerts differ in a pause."""
    stack = run.stack("monitoring")
    return bool(stack and any(source.paused for source in stack.parameters.values()))


def resume(run: Run, cluster: Cluster) -> None:
    """Give node groups the sizes of before the pause."""
    outputs, name = foundation.outputs(run), run.bundle.cluster
    knows = run.options.rehearses or not cluster.remembers
    rows = cluster.counts() if knows else cluster.recall(outputs)
    if rows is None:
        raise Stop(
            f"{name} is not paused. If it lacks nodes since a --resume, deploy.sh waits for them."
        )
    if run.options.plan:
        return
    if run.options.rehearses:
        run.note("A dry run does not know the sizes of before the pause: 0 stands for them.")
    cluster.start(rows)
    _deploy_schedules(run, cluster, outputs)
    cluster.settle()
    cluster.release()
    if cluster.remembers:
        bucket.forget(run, outputs, cluster.memory)
    _switch_alerts(run, outputs, paused=False)
    if lacking := cluster.wait("run deploy.sh"):
        raise Stop(f"{name} is resumed, but not all of its nodes: {lacking}")
    run.conclude(f"{name} is resumed.")


def destroy(run: Run, cluster: Cluster) -> None:
    """Delete the cluster; the foundation stays."""
    data = ", ".join(run.bundle.losses.data)
    if data and not run.consents("replaces-resource"):
        text = f"this also deletes, with all data: {data}."
        if run.options.asks is None or run.options.yes:
            raise Stop(f"{text} If this is intended, add --allow-replacement.")
        run.note(text)
    cluster.check_alone()
    others = [role for role in run.bundle.stacks if role != "foundation"]
    losses.stop(losses.check(run, others, "deploy.sh"))
    for line in run.bundle.losses.lines:
        run.note(f"This goes: {line}")
    if run.options.plan:
        return
    run.confirm_deletion("the cluster", run.bundle.cluster)
    if stack := run.stack("monitoring"):
        stacks.delete(run, stack, quietly=not stack.template)
    _delete_schedules(run)
    cluster.delete()
    # A new cluster is not paused.
    outputs = foundation.outputs(run)
    if cluster.may_remember(outputs) and bucket.has(run, outputs, cluster.memory):
        bucket.forget(run, outputs, cluster.memory)
    _tell_what_stays(run)


def _tell_what_stays(run: Run) -> None:
    if not run.founded:
        return
    made, network = run.bundle.mounts.made, not run.bundle.network.vpc
    data = f"the data of: {' '.join(made)}" if made else ""
    parts = [*(["the network"] if network else []), *([data] if data else [])]
    what = f", with {' and '.join(parts)}" if parts else ""
    run.note(f"The stack {foundation.stack(run).name} remains{what}")
    if found := run.bundle.mounts.found:
        run.note(f"File systems that this bundle did not make stay as they are: {' '.join(found)}")


def destroy_foundation(run: Run, cluster: Cluster) -> None:
    """Delete the foundation, which nothing may use any more."""
    if not run.founded:
        raise Stop("this bundle has no foundation: it uses existing resources only")
    # CloudFormation would delete the routes and roles of running nodes before it fails on their
    # security group.
    if cluster.exists():
        raise Stop(
            f"{run.bundle.cluster} still uses the foundation: run deploy.sh --destroy first."
        )
    of_stack = losses.check(run, ["foundation"], "deploy.sh --foundation")
    losses.stop([*references.refusals(run), *of_stack])
    for line in run.bundle.losses.foundation:
        run.note(line)
    if run.options.plan:
        return
    run.confirm_deletion("the foundation", foundation.stack(run).name)
    known = losses.known_before(run)
    stacks.delete(run, foundation.stack(run))
    losses.explain_retained(run, known)
    losses.forget(run)


def install(run: Run, cluster: Cluster) -> None:
    """Install the software and the objects of the bundle in a cluster of Kubernetes."""
    cluster.install_software(foundation.outputs(run))
    if run.options.plan:
        return
    run.conclude(f"The software of {run.bundle.cluster} is installed. Its tests: deploy.sh --test.")


def uninstall(run: Run, cluster: Cluster) -> None:
    """Delete what the bundle has in a cluster of Kubernetes that others own."""
    remove = cluster.software_of_bundle()
    if run.options.plan:
        return
    run.confirm_deletion("from the cluster what this bundle has there:", run.bundle.cluster)
    remove()
    run.conclude("Namespaces and data stay, and so does what others have installed.")


ACTIONS: Final[Mapping[str, Callable[[Run, Cluster], None]]] = {
    "deploy": deploy,
    "foundation": deploy_foundation,
    "pause": pause,
    "resume": resume,
    "destroy": destroy,
    "destroy-foundation": destroy_foundation,
    "install": install,
    "uninstall": uninstall,
    **daily.ACTIONS,
}
DAILY: Final = frozenset(daily.ACTIONS)
"""Those that concern what runs, and not what the bundle says."""
