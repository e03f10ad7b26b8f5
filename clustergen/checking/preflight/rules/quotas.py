"""Service quotas."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Final, NamedTuple

from clustergen.base.account import Answer
from clustergen.base.findings import Problem, rule, warning
from clustergen.checking.preflight import names
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import where
from clustergen.facts.catalog.quotas import ADDRESSES, VPCS
from clustergen.plan import quotas
from clustergen.plan.model import Plan
from clustergen.plan.quotas import Need
from clustergen.services.cost.network import public_machines

QUOTA: Final = "service-quotas:GetServiceQuota"
DEFAULT: Final = "service-quotas:GetAWSDefaultServiceQuota"
QUOTAS: Final = "service-quotas:ListServiceQuotas"
EC2_QUOTAS: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-resource-limits.html"


def _quota(case: Case, service: str, code: str) -> Answer:
    """The quota that applies to the account, or else the default; empty if neither is known.

    https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html
    """
    for call in (QUOTA, DEFAULT):
        answer = case.find(call, ServiceCode=service, QuotaCode=code)
        quota: Answer = (answer or {}).get("Quota", {})
        if quota.get("Value") is not None:
            return quota
    return {}


def _request(case: Case, service: str, code: str, amount: int) -> str:
    return (
        f"aws service-quotas request-service-quota-increase --region {case.region} "
        f"--service-code {service} --quota-code {code} --desired-value {amount}; it can take days"
    )


def _short(case: Case, need: Need) -> Iterator[Problem]:
    value = _quota(case, need.service, need.code).get("Value")
    if value is not None and value < need.amount:
        yield Problem(
            need.path,
            f"{need.title}: the cluster needs {need.amount_text} at its maximum, the quota is "
            f"{value:,.0f}",
            _request(case, need.service, need.code, need.amount),
        )


def _of(case: Case, service: str) -> list[Need]:
    needs = quotas.needs(case.plan, case.traits)
    return [need for need in needs if need.service == service]


_ENOUGH: Final = "the quotas under Quotas are large enough in {plan.region}"


@rule(
    "PRE020",
    "The vCPU quota is too small",
    why="EC2 counts the vCPUs of running instances by group of families. The default is 0 for all "
    "accelerated types, and an increase can take days.",
    source=EC2_QUOTAS,
    calls=(QUOTA, DEFAULT),
    by_hand=where(lambda plan: not plan.sagemaker or plan.system, _ENOUGH),
    bad="service-quotas:GetServiceQuota: {Value: 0}",
    good="service-quotas:GetServiceQuota: {Value: 100000}",
)
def vcpus(case: Case) -> Iterator[Problem]:
    for need in _of(case, "ec2"):
        if need.code:
            yield from _short(case, need)


@rule(
    "PRE021",
    "A quota of SageMaker is too small",
    why="HyperPod has a quota for each instance type, for a cluster and for all clusters. The "
    "default for accelerated types is 0.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html",
    calls=(QUOTAS, names.HYPERPOD),
    by_hand=where(lambda plan: plan.sagemaker, _ENOUGH),
    bad="service-quotas:ListServiceQuotas: {Value: 0}",
    good="service-quotas:ListServiceQuotas: {Value: 100000}",
)
def instances(case: Case) -> Iterator[Problem]:
    known = case.every(QUOTAS, "Quotas", ServiceCode="sagemaker")
    by_name = {quota["QuotaName"]: quota for quota in known}
    used = _of_others(case)
    for need in _of(case, "sagemaker"):
        quota, there = by_name.get(need.title), used[need.title]
        amount = need.amount + there
        if quota and quota.get("Value", amount) < amount:
            beside = f", besides {there:,} of the cluster" if there else ""
            yield Problem(
                need.path,
                f"{need.title}: the {'nodes need' if there else 'cluster needs'} "
                f"{need.amount_text} at {'their' if there else 'its'} maximum{beside}, the quota "
                f"is {quota['Value']:,.0f}",
                _request(case, "sagemaker", quota["QuotaCode"], amount),
            )


def _of_others(case: Case) -> Counter[str]:
    """What other groups of a cluster that the nodes join take of each quota."""
    used: Counter[str] = Counter()
    joined = names.existing_hyperpod(case.plan)
    found = (case.find(names.HYPERPOD, ClusterName=joined) if joined else None) or {}
    ours = {group.name for group in case.plan.node_groups}
    for group in found.get("InstanceGroups", ()):
        if group["InstanceGroupName"] not in ours:
            type = str(group.get("InstanceType", ""))
            spot = "Spot" in group.get("CapacityRequirements", {})
            for title in quotas.of_hyperpod(type, spot=spot):
                used[title] += group.get("TargetCount", 0)
    return used


@rule(
    "PRE022",
    "The quota of network interfaces is too small",
    why="Each network card of a node takes an interface: 64 nodes of p5 have more than 2,000.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html",
    calls=(QUOTA, DEFAULT),
    by_hand=where(bool, _ENOUGH),
    bad="service-quotas:GetServiceQuota: {Value: 0}",
    good="service-quotas:GetServiceQuota: {Value: 100000}",
)
def interfaces(case: Case) -> Iterator[Problem]:
    for need in _of(case, "vpc"):
        yield from _short(case, need)


_VPCS: Final = "ec2:DescribeVpcs"
_ADDRESSES: Final = "ec2:DescribeAddresses"


class _Resource(NamedTuple):
    """Something of which a new cluster needs more."""

    needed: int
    what: str
    service: str
    code: str
    call: str


def _resources(plan: Plan) -> Iterator[_Resource]:
    if plan.network.new:
        yield _Resource(1, "VPCs", "vpc", VPCS, _VPCS)
    # That of the NAT gateway, and that of a public head node.
    head = "head" in public_machines(plan)
    if number := (plan.network.new and not plan.network.closed) + head:
        yield _Resource(number, "Elastic IPs", "ec2", ADDRESSES, _ADDRESSES)


def _resources_by_hand(plan: Plan) -> str:
    named = ((n, what if n > 1 else what.removesuffix("s")) for n, what, *_ in _resources(plan))
    found = " and ".join(f"{number} more {name}" for number, name in named)
    return f"{plan.region} has room for {found} (5 of each by default)" if found else ""


@rule(
    "PRE023",
    "The account has no room for another VPC or Elastic IP",
    why="The foundation creates a VPC. Its NAT gateway, if it has one, has an Elastic IP, and so "
    "has a head node of ParallelCluster in a public subnet.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html",
    calls=(QUOTA, DEFAULT, _VPCS, _ADDRESSES, names.STACKS),
    by_hand=_resources_by_hand,
    bad="service-quotas:GetServiceQuota: {Value: 0}",
    good="service-quotas:GetServiceQuota: {Value: 100000}",
)
def resources(case: Case) -> Iterator[Problem]:
    if names.stack(case, case.plan.stack("foundation")):
        return  # It has them already.
    for resource in _resources(case.plan):
        most = _quota(case, resource.service, resource.code).get("Value")
        used = len(_listed(case, resource))
        wanted = used + resource.needed
        if most is not None and wanted > most:
            yield Problem(
                ("network",),
                f"the account has {used} of {most:,.0f} {resource.what} in {case.region}, and the "
                f"cluster needs {resource.needed} more",
                _request(case, resource.service, resource.code, wanted)
                + "; or use an existing VPC: `network: {vpc: ...}`",
            )


def _listed(case: Case, resource: _Resource) -> list[object]:
    if resource.call == _ADDRESSES:  # botocore has no paginator for it
        return [*case.ask(resource.call).get("Addresses", ())]
    return case.every(resource.call, "Vpcs")


@rule(
    "PRE024",
    "A quota of storage is too small",
    why="EBS counts the storage of all volumes of a type, and FSx that of all file systems of a "
    "kind. Nodes and file systems beyond the quota are not created.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html",
    calls=(QUOTA, DEFAULT),
    by_hand=where(lambda plan: any(quotas.of_storage(plan)), _ENOUGH),
    bad="service-quotas:GetServiceQuota: {Value: 0}",
    good="service-quotas:GetServiceQuota: {Value: 1000000}",
)
def storage(case: Case) -> Iterator[Problem]:
    for need in quotas.of_storage(case.plan):
        yield from _short(case, need)


USAGE: Final = "cloudwatch:GetMetricStatistics"
_RECENT: Final = timedelta(hours=3)


def _used(case: Case, quota: Answer) -> float | None:
    """How much of a quota is in use; None where its service does not measure it.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Quotas-Visualize-Alarms.html
    """
    metric = quota.get("UsageMetric") or {}
    statistic = metric.get("MetricStatisticRecommendation") or "Maximum"
    if not metric.get("MetricName"):
        return None
    dimensions = sorted(metric.get("MetricDimensions", {}).items())
    hour = case.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    answer = case.ask(
        USAGE,
        Namespace=metric["MetricNamespace"],
        MetricName=metric["MetricName"],
        Dimensions=[{"Name": name, "Value": value} for name, value in dimensions],
        StartTime=(hour - _RECENT).isoformat(),
        EndTime=hour.isoformat(),
        Period=300,
        Statistics=[statistic],
    )
    points = sorted(answer.get("Datapoints", ()), key=lambda point: point["Timestamp"])
    return float(points[-1][statistic]) if points else None


@warning(
    "PRE025",
    "Too much of a quota is in use",
    why="What else runs in the account counts too: nodes beyond what is left do not start.",
    source="https://docs.aws.amazon.com/servicequotas/latest/userguide/monitoring-cloudwatch.html",
    calls=(QUOTA, DEFAULT, USAGE, *names.DEPLOYED),
    by_hand=where(bool, _ENOUGH),
    bad="cloudwatch:GetMetricStatistics: [{Timestamp: 2026-11-22T00:00:00Z, Maximum: 999990}]",
    good="cloudwatch:GetMetricStatistics: [{Timestamp: 2026-11-22T00:00:00Z, Maximum: 1}]",
)
def in_use(case: Case) -> Iterator[Problem]:
    """Not of a cluster that runs, which may be what uses it."""
    if names.is_deployed(case):
        return
    for need in (*_of(case, "ec2"), *_of(case, "vpc"), *quotas.of_storage(case.plan)):
        quota = _quota(case, need.service, need.code) if need.code else {}
        used = _used(case, quota)
        left = quota["Value"] - used if used is not None else need.amount
        if left < need.amount <= quota.get("Value", 0):
            yield Problem(
                need.path,
                f"{need.title}: {used:,.0f} of {quota['Value']:,.0f} are in use, and the cluster "
                f"needs {need.amount_text} at its maximum",
                _request(case, need.service, need.code, int(need.amount + (used or 0))),
            )
