"""The bundle of an EKS cluster: the stack's template, and software for the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clustergen import foundation, mirror, shell
from clustergen.artifacts import Artifact, Bundle, Json, json_artifact
from clustergen.aws import cfn
from clustergen.eks import control_plane, versions
from clustergen.foundation import deletion
from clustergen.kubernetes import (
    access,
    karpenter,
    kueue,
    kueue_configuration,
    labels_and_taints,
    namespaces,
    ownership,
    pruning,
    timetable,
    training,
)
from clustergen.kubernetes import bundle as kubernetes_bundle
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.eks import (
    cluster,
    drivers,
    eks_cluster,
    limits,
    node_groups,
    schedule,
    sizes,
)
from clustergen.targets.eks.options import Options
from clustergen.targets.eks.runbook import runbook

__all__ = ["document", "emit", "runbook", "steps"]

TEMPLATE = "cluster.template.json"


def document(plan: Plan) -> Json:
    """The CloudFormation template of a plan without errors."""
    return cluster.template(plan)


def emit(plan: Plan, document: Json) -> Bundle:
    """All files of the cluster; ``document`` is its template with the user's overlay."""
    inside = kubernetes_bundle.files(plan)
    if plan.options_as(Options).by_stack:
        scripts = (kubernetes_bundle.INSTALL,)
        inside = tuple(file for file in inside if file.path not in scripts)
        return (json_artifact(TEMPLATE, document), *inside, *schedule.files(plan))
    deploy = _deploy(plan, document)
    return (json_artifact(TEMPLATE, document), *inside, *schedule.files(plan), deploy)


def _deploy(plan: Plan, document: Json) -> Artifact:
    known = {**foundation.outputs(plan), **eks_cluster.PARAMETERS}
    # An overlay may remove a group, which deploy.sh would wait for.
    made = document.get("Resources", {})
    managed = [each for each in cluster.managed(plan) if node_groups.logical_id(each) in made]
    text = shell.render(
        "eks/deploy.sh.j2",
        **foundation.frame(plan),
        uploads=[],
        parameters=[name for name in document.get("Parameters", {}) if name in known],
        fills=list(kubernetes_bundle.filled(plan)),
        karpenter=karpenter.is_on(plan),
        groups=[group.name for group in managed],
        sizes=[word for group in managed for word in _size(group)],
        group_ids=[w for each in managed for w in (each.name, node_groups.logical_id(each))],
        dated=[group.name for group in managed if group.capacity.starts],
        pools=list(karpenter.cpu_limits(plan).items()),
        queues=kueue.held_in_pause(plan),
        mark=timetable.PAUSED,
        log_groups=cfn.log_groups(document),
        admins=access.names(plan) if plan.creates_cluster else [],
        eks_cluster=plan.cluster_name,
        joined=not plan.creates_cluster,
        by_hand=plan.options_as(Options).by_hand,
        versioned=[group.name for group in managed if not group.image],
        **_joined(plan),
        **schedule.values(plan),
    )
    return Artifact("deploy.sh", text, executable=True)


def _joined(plan: Plan) -> dict[str, Any]:
    """Values for an existing cluster."""
    if plan.creates_cluster:
        return {"drivers": []}
    rows = ((d.parameter, d.addon.name, d.object) for d in drivers.drivers(plan))
    version = plan.kubernetes.version.partition(".")[2]
    cni = limits.CNI_OF_EFA_ONLY
    return {
        "efa_only": [
            group.name
            for group in plan.node_groups
            if any(interface.type == "efa-only" for interface in group.interfaces)
        ],
        "cni_version": "v" + ".".join(map(str, cni)),
        "cni_number": cni[0] * 1_000_000 + cni[1] * 1_000 + cni[2],
        "drivers": [word for row in rows for word in row],
        "version": version if plan.wrote("kubernetes", "version") else "",
        "vpc": "" if plan.network.new else plan.network.vpc,
        "given_group": plan.options_as(Options).cluster_security_group or "",
    }


def _size(group: NodeGroup) -> list[str]:
    numbers = (sizes.least(group), sizes.wanted(group), sizes.most(group))
    return [group.name, sizes.parameter(group), *map(str, numbers)]


def steps(plan: Plan) -> list[str]:
    """The next steps, in order."""
    if plan.options_as(Options).by_stack:
        return [
            *mirror.steps(plan),
            "`npx cdk deploy --all -c spec=SPEC -c target=eks` in a checkout of clustergen deploys "
            "the foundation, the cluster, and the charts and manifests of this bundle",
            *_sized(plan),
            *_later(plan),
            *_before_destroy(plan),
            "`npx cdk destroy` with the same arguments deletes them; data stays",
            *_protected(plan, "npx cdk destroy"),
        ]
    return [
        *mirror.steps(plan, " and charts"),
        *_reach(plan),
        "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them: the stack, then "
        f"{_installed(plan)}the nodes of managed node groups",
        *_by_hand(plan),
        *_added(plan),
        *_later(plan),
        _destroy(plan),
        *_destroyed_by_cdk(plan),
        *_protected(plan, "./deploy.sh --destroy"),
    ]


def _installed(plan: Plan) -> str:
    if plan.options_as(Options).by_hand:
        return ""
    return "`install.sh` for what runs in the cluster, then "


def _by_hand(plan: Plan) -> Iterator[str]:
    if plan.options_as(Options).by_hand:
        yield (
            "`deploy.sh` installs nothing in the cluster (`targets.eks.install: none`), so queues, "
            "volumes and smoke tests of this bundle are not there. To have them, compare "
            "`./install.sh --dry-run` with `helm list --all-namespaces`, then run `./install.sh` "
            "after `./deploy.sh`, or write `install: script`"
        )


def _added(plan: Plan) -> Iterator[str]:
    if plan.creates_cluster:
        return
    name = plan.cluster_name
    yield (
        f"the stack adds node groups to {name}, and drivers of file systems that it lacks. Its "
        "version, add-ons, access entries, logs and other node groups stay as they are, and so "
        "does software that is installed there: deploy.sh and install.sh print what they find, "
        "and install only what is missing"
    )
    yield (
        "the role of the nodes has `AmazonEKS_CNI_Policy`: where the VPC CNI of the cluster has no "
        "role, it needs the policy there to give pods addresses, and nodes would not become ready. "
        "A role of yours (`iam.role`) needs the same"
    )
    group = plan.options.joined_group or "its cluster security group"
    yield (
        f"the nodes are in {group}. Where other nodes of {name} have a security group of their own "
        "instead (the Terraform module for EKS makes one), CoreDNS and webhooks on those nodes do "
        "not admit the new ones: write that group into `security_groups` of the node groups, or "
        f"ask the owner to let {group} in"
    )
    if not kueue.is_on(plan):
        yield (
            f"if Kueue in {name} has `manageJobsWithoutQueueName`, it holds all jobs of this "
            "bundle, which name no queue: write `queues`, or ask its owner for a queue in the "
            "namespace default and add the label `kueue.x-k8s.io/queue-name` to them"
            f"{_opening(plan)}"
        )
    yield (
        f"a Cluster Autoscaler in {name} finds the node groups by their tags, and keeps the "
        "minimum of `count`. It ends idle nodes above that, and of capacity that ends, and starts "
        "them again for pods that wait"
    )
    most = max(g.addresses + (plan.options.pod_addresses(g) or 0) for g in plan.node_groups)
    yield (
        f"a node takes up to {most} addresses of its subnet with the defaults of the VPC CNI, and "
        "more with more pods; fewer if the owner of the cluster has set `MINIMUM_IP_TARGET`"
    )
    if found := sorted({t.key for g in plan.node_groups for t in labels_and_taints.taints(g)}):
        yield (
            f"install.sh compares device plugins in {name} with the taints of these nodes "
            f"({', '.join(f'`{key}`' for key in found)}) and their labels, and installs its own, "
            "for these nodes only, where no other runs. If others install one later that runs "
            "there too, run install.sh again: it removes its own"
        )


def _opening(plan: Plan) -> str:
    """How to label a job that install.sh has created already."""
    if not any(True for _ in ownership.objects(plan, [namespaces.DEFAULT], {})):
        return ""
    label = f"{pruning.LABEL}={pruning.owner(plan)}"
    return (
        ", with `kubectl label job --namespace default --selector "
        f"{label} kueue.x-k8s.io/queue-name=QUEUE` to those that open new file systems"
    )


def _destroy(plan: Plan) -> str:
    if plan.creates_cluster:
        return f"`./deploy.sh --destroy` deletes the cluster{deletion.besides(plan)}"
    return (
        "`./deploy.sh --destroy` deletes the queues, volumes and software of this bundle, then its "
        "node groups; the cluster with everything else in it, namespaces, network and data stay"
    )


def _sized(plan: Plan) -> Iterator[str]:
    groups = cluster.managed(plan)
    if groups:
        yield (
            "managed node groups begin without nodes, so that a lack of capacity does not roll the "
            f"cluster back. {'; '.join(_sizes(plan))}"
        )


def _sizes(plan: Plan) -> Iterator[str]:
    groups = cluster.managed(plan)
    if command := sizes.command(plan, groups):
        yield (
            f"Ask for them with `{command}`, and set sizes in no other way, for the next "
            "deployment restores what this one set"
        )
    if present := sizes.present(plan, groups):
        yield f"With each deployment, also pass the present sizes of groups with dates: `{present}`"


def _later(plan: Plan) -> list[str]:
    return [
        *_blocks(plan),
        *([training.STEP] if training.groups(plan) else []),
        *_grants(plan),
        *_updates(plan),
        "to change the instance types of a node group, rename it too: EKS creates a new one, and "
        "names are unique in a cluster",
    ]


def _reach(plan: Plan) -> Iterator[str]:
    if not plan.creates_cluster:
        yield (
            "`deploy.sh` needs the API of the cluster, and an access entry with "
            "`AmazonEKSClusterAdminPolicy` for the whole cluster: charts create kinds and cluster "
            "roles, and Kubernetes lets nobody grant rights that they lack. `./install.sh --check` "
            "only reads: it looks for names and releases in the cluster that would stop the "
            "installation"
        )
    elif not plan.kubernetes.public_endpoint_from:
        yield f"the API of the cluster is reachable only from the VPC: {control_plane.way_in(plan)}"


def requests(plan: Plan) -> Iterator[tuple[NodeGroup, str]]:
    """Groups that deploy.sh leaves without nodes, as it is unknown when their capacity starts, with
    the commands that request them."""
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block" and not group.capacity.starts:
            yield group, _scale(plan, group, f"desiredSize={group.max}")


def _blocks(plan: Plan) -> Iterator[str]:
    for group, command in requests(plan):
        yield (
            f"once the Capacity Block of {group.name} has begun, request its nodes: `{command}`; "
            f"{_end(group)}"
        )


def _end(group: NodeGroup) -> str:
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html (2026-11)"""
    if group.type.nvlink_domain:
        return "EC2 ends its UltraServers 60 minutes before the block does"
    return "EKS terminates them 40 minutes before the block ends"


def _updates(plan: Plan) -> Iterator[str]:
    for group in cluster.managed(plan):
        if group.capacity.kind == "capacity-block":
            # https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
            yield (
                f"before an update of the nodes of {group.name} (version, tags, image), end its "
                f"jobs and scale it to zero: `{_scale(plan, group, 'minSize=0,desiredSize=0')}`"
            )
    if not plan.creates_cluster:
        yield (
            "once the owner of the cluster has upgraded Kubernetes, raise `kubernetes.version` to "
            "the same and deploy: a third of a group at a time gets new nodes"
        )
        return
    yield (
        "to upgrade Kubernetes, raise `kubernetes.version` by one and deploy: the control plane "
        "first, then the nodes of managed node groups, a third of a group at a time"
    )
    if policy := versions.policy(plan.kubernetes):
        yield policy
    yield (
        "add-ons get the version that EKS has as its default when they are created, and keep it: "
        f"`aws eks describe-addon-versions --region {plan.region} --kubernetes-version "
        f"{plan.kubernetes.version} --addon-name NAME` lists the others, and `aws eks "
        "update-addon` changes to one. To have the same in every cluster, set AddonVersion of the "
        "add-on in `targets.eks.overlay`"
    )
    if plan.tags:
        yield (
            "a change of `tags` replaces the nodes of managed node groups, too: it is a new "
            "version of their launch templates"
        )
    if karpenter.groups(plan) and kueue.is_on(plan):
        yield (
            f"a job whose nodes do not all come within {kueue_configuration.READY_MINUTES} minutes "
            "gives back those that did, and is queued again, up to "
            f"{kueue_configuration.TRIES} times: then `kubectl patch workload NAME --namespace "
            """QUEUE --type merge --patch '{"spec":{"active":true}}'` starts over"""
        )
    if karpenter.groups(plan):
        yield (
            "a node of Karpenter starts with the newest image and keeps it: `kubectl "
            "delete nodeclaim NAME` drains it, and the next one is up to date"
        )


def _scale(plan: Plan, group: NodeGroup, sizes: str) -> str:
    where = f"--region {plan.region} --cluster-name {plan.cluster_name}"
    of = f"--nodegroup-name {group.name}"
    return f"aws eks update-nodegroup-config {where} {of} --scaling-config {sizes}"


def _before_destroy(plan: Plan) -> Iterator[str]:
    if karpenter.is_on(plan):
        yield (
            f"before that, run `{karpenter.END_NODES}`: no stack manages the instances of "
            "Karpenter, which keep running without it"
        )


def _destroyed_by_cdk(plan: Plan) -> Iterator[str]:
    if karpenter.is_on(plan):
        yield (
            "if you deploy with the CDK instead, `npx cdk destroy` leaves the instances of "
            f"Karpenter running: before it, run `{karpenter.END_NODES}`"
        )


def _protected(plan: Plan, command: str) -> Iterator[str]:
    if plan.options_as(Options).deletion_protection:
        yield (
            f"before `{command}`, turn off the protection: "
            "`targets.eks.deletion_protection: false`, and deploy once more. While the first "
            "deployment has not succeeded, CloudFormation cannot roll back a protected cluster: "
            "`aws eks update-cluster-config --region "
            f"{plan.region} --name {plan.name} --no-deletion-protection`, then delete the stack"
        )


def _grants(plan: Plan) -> Iterator[str]:
    if plan.creates_cluster and not plan.kubernetes.admins:
        yield (
            "only the identity that deploys the stack has access to the cluster: add roles to "
            "`kubernetes.admins` to give it to others"
        )
