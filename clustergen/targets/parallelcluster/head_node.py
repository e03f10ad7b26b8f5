"""``HeadNode`` and ``LoginNodes``."""

from typing import Any

from clustergen.plan.model import Machine, Plan
from clustergen.services.aws import references
from clustergen.services.aws.members import filled
from clustergen.services.fields import written
from clustergen.services.slurm import collecting
from clustergen.targets.parallelcluster import actions, directory, nodes, permissions
from clustergen.targets.parallelcluster.options import LoginPool, Options

_GRACE_MINUTES = 10
"""ParallelCluster's default."""
SCRIPTS_POLICY = {"Policy": "${ScriptsPolicyArn}"}


def head_node(plan: Plan, head: Machine) -> dict[str, Any]:
    """The head node, which accepts SSH only without login nodes."""
    options = plan.options_as(Options)
    return filled(
        InstanceType=head.type.name,
        DisableSimultaneousMultithreading=_switches_smt_off(plan, head) or None,
        Image=nodes.image(head.image, nodes.common_image(plan)),
        Networking=_networking(plan, head),
        Ssh=filled(KeyName=options.key_name, AllowedIps=_allowed_ips(plan, head)),
        SharedStorageType=options.shared_folders.title()
        if options.shared_folders != "ebs"
        else None,
        LocalStorage={"RootVolume": written(nodes.ROOT_VOLUME, head.volume)},
        CustomActions=actions.long_lived(plan, "head"),
        Dcv=directory.dcv(options.dcv) if options.dcv else None,
        # Only root and services of the head node may read its credentials.
        Imds={"Secured": not options.imds_for_all},
        Iam=permissions.iam(
            head.iam,
            s3=actions.head_access(plan),
            policies=[*permissions.session(options), *metrics_policies(plan)],
        ),
    )


def _switches_smt_off(plan: Plan, head: Machine) -> bool:
    several = head.threads_per_core == 1 and head.type.threads_per_core > 1
    return several or nodes.writes_one_thread(plan, head)


def _allowed_ips(plan: Plan, head: Machine) -> str:
    return head.ssh_from or (nodes.NOBODY if plan.login else nodes.allowed_ips(plan))


def metrics_policies(plan: Plan) -> list[dict[str, str]]:
    """What lets a node send metrics."""
    return [{"Policy": "${MetricsPolicyArn}"}] if collecting.wanted(plan) else []


def _networking(plan: Plan, head: Machine) -> dict[str, Any]:
    """Networking; subnet and address cannot change, so they do not depend on ``login``.

    Access can change: with login nodes, the head node is not reachable from outside.
    """
    network = plan.network
    subnet = head.subnets[0] if head.subnets else references.text(nodes.entry_subnet(network).id)
    return filled(
        SubnetId=subnet,
        ElasticIp=_elastic_ip(plan, subnet) or None,
        **nodes.security(plan, "head", head.security_groups, entry=not plan.login),
        **nodes.proxy(plan),
    )


def _elastic_ip(plan: Plan, subnet: str) -> bool | str:
    """An address that stays when the head node is stopped and started."""
    wanted = plan.options_as(Options).elastic_ip
    public = subnet in [references.text(each.id) for each in plan.network.public]
    return public if wanted is None else wanted


def login_nodes(plan: Plan) -> dict[str, Any] | None:
    """``LoginNodes``; each pool is behind a network load balancer of ParallelCluster.

    A pool whose count is 0 stays: ParallelCluster removes and changes only pools without nodes.
    https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html
    """
    login = plan.login or plan.stopped_login
    if login is None:
        return None
    options = plan.options_as(Options)
    pools = zip(
        (options.login_pool, *options.more_login_pools), (login, *plan.more_login), strict=True
    )
    return {"Pools": [_pool(plan, pool, machine) for pool, machine in pools]}


def _pool(plan: Plan, named: LoginPool, login: Machine) -> dict[str, Any]:
    options = plan.options_as(Options)
    grace = named.grace_time != _GRACE_MINUTES
    # Login nodes do not support S3Access: the foundation has a policy for their scripts.
    scripts = [] if options.leaves_out("script-access") else [SCRIPTS_POLICY]
    subnets = login.subnets or (references.text(nodes.entry_subnet(plan.network).id),)
    return filled(
        Name=named.name,
        InstanceType=login.type.name,
        Count=login.count,
        Image=nodes.image(login.image, nodes.common_image(plan)),
        Networking={
            "SubnetIds": list(subnets),
            **nodes.security(plan, "login", login.security_groups, entry=True),
            **nodes.proxy(plan),
        },
        Dcv=directory.dcv(named.dcv) if named.dcv else None,
        Ssh=filled(AllowedIps=_login_ips(plan, login)),
        CustomActions=actions.long_lived(plan, "login"),
        Iam=permissions.iam(login.iam, policies=[*permissions.session(options), *scripts]),
        GracetimePeriod=named.grace_time if grace else None,
    )


def _login_ips(plan: Plan, login: Machine) -> str | None:
    """Who can use SSH on login nodes; by default those that can on the head node, if it says so."""
    own = plan.head.ssh_from if plan.head else None
    return login.ssh_from or (
        None if own and not plan.network.ssh_from else nodes.allowed_ips(plan)
    )
