"""What has to hold before a HyperPod cluster is changed."""

from clustergen.base.artifacts import Json
from clustergen.deployment import filling, hyperpod_requests
from clustergen.deployment.hyperpod_api import groups_of
from clustergen.deployment.kinds import HyperPod
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.world import Stop

_WAY = "Give the cluster another name in the spec"


def check_foundation(run: Run, shown: Json, request: Json, outputs: Outputs) -> None:
    """Stop if a cluster of this name has nothing of this foundation."""
    own, name = hyperpod_requests.names_of_foundation(request), request["ClusterName"]
    if not own:
        _check_roles(run, shown, request)
        return
    known = {filling.filled(each, outputs) for each in own}
    if known.isdisjoint(hyperpod_requests.names_of_cluster(shown)):
        stack = run.stack("foundation")
        other = f"; or add --outputs FILE if its foundation is not {stack.name}" if stack else ""
        raise Stop(
            f"there is a HyperPod cluster {name} with none of the roles and security groups of "
            f"this bundle. Nothing was changed. {_WAY}{other}."
        )


def _check_roles(run: Run, shown: Json, request: Json) -> None:
    """The same of a bundle that only uses what exists."""
    name = request["ClusterName"]
    roles = hyperpod_requests.roles(groups_of(request).values())
    if roles.isdisjoint(hyperpod_requests.roles(hyperpod_requests.every_group(shown))):
        raise Stop(
            f"there is a HyperPod cluster {name} with none of the instance groups and roles of "
            f"this bundle. Nothing was changed. {_WAY}."
        )
    if run.options.action == "destroy" and not run.consents("replaces-resource"):
        raise Stop(
            f"the HyperPod cluster {name} has nothing that only this bundle has: others may have "
            "made it, with the same roles. Nothing was changed. If it is yours, add "
            "--allow-replacement."
        )


def check_controller(service: HyperPod, shown: Json) -> None:
    """Stop if a cluster of another bundle would get a second controller."""
    there, group = groups_of(shown), service.controller
    if group and there and group not in there:
        raise Stop(
            f"{service.name} runs without an instance group {group}, so another of its groups has "
            f"the controller: {', '.join(there)}. This bundle would add a second one. Nothing was "
            "changed. Give the spec another name, and deploy a cluster beside it; or delete that "
            "cluster first."
        )


def check_fixed(service: HyperPod, shown: Json, request: Json) -> None:
    """Stop if a group that exists would change in what HyperPod never changes."""
    found = list(hyperpod_requests.fixed_changes(request, shown))
    role = ("ExecutionRole", service.controller)
    if service.own_controller_role and any(each[:2] == role for each in found):
        raise Stop(
            f"the controller of {service.name} has the role of other nodes, whose users can read "
            "the password of the accounting database. HyperPod cannot change roles. Nothing was "
            "changed. A new cluster has a role for the controller; to keep this one, write "
            "leave_out: [controller-role] under targets.hyperpod-slurm, and render again."
        )
    if found:
        raise Stop(
            "HyperPod cannot change this of instance groups that exist: "
            f"{'; '.join(text for *_, text in found)}. Nothing was changed. Undo that in the spec, "
            "or give the node group another name, and render again."
        )
