"""Service quotas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from clustergen.catalog.quotas import ADDRESSES, VPCS
from clustergen.findings import Path, Problem
from clustergen.plan import quotas
from clustergen.plan.model import Plan
from clustergen.plan.quotas import Need
from clustergen.preflight import names
from clustergen.preflight.case import Case
from clustergen.preflight.rules import rule

QUOTA: Final = "service-quotas:GetServiceQuota"
DEFAULT: Final = "service-quotas:GetAWSDefaultServiceQuota"
QUOTAS: Final = "service-quotas:ListServiceQuotas"
EC2_QUOTAS: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-resource-limits.html"


def _value(case: Case, service: str, code: str) -> float | None:
    """The value that applies to the account, or else the default; None if neither is known.

    https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html
    """
    for call in (QUOTA, DEFAULT):
        answer = case.find(call, ServiceCode=service, QuotaCode=code)
        value = (answer or {}).get("Quota", {}).get("Value")
        if value is not None:
            return float(value)
    return None


def _request(case: Case, service: str, code: str, amount: int) -> str:
    return (
        f"aws service-quotas request-service-quota-increase --region {case.region} "
        f"--service-code {service} --quota-code {code} --desired-value {amount}; it can take days"
    )


def _short(case: Case, need: Need) -> Iterator[Problem]:
    value = _value(case, need.service, need.code)
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


def _vcpus_by_hand(plan: Plan) -> str:
    counts = not plan.sagemaker or plan.system is not None
    return f"the quotas under Quotas are large enough in {plan.region}" if counts else ""


@rule(
    "PRE020",
    "The vCPU quota is too small",
    why="EC2 counts the vCPUs of running instances by group of families. The default is 0 for all "
    "accelerated types, and an increase can take days.",
    source=EC2_QUOTAS,
    calls=(QUOTA, DEFAULT),
    by_hand=_vcpus_by_hand,
    bad="service-quotas:GetServiceQuota: {Value: 0}",
    good="service-quotas:GetServiceQuota: {Value: 100000}",
)
def vcpus(case: Case) -> Iterator[Problem]:
    for need in _of(case, "ec2"):
        if need.code:
            yield from _short(case, need)


def _sagemaker_by_hand(plan: Plan) -> str:
    return f"the quotas under Quotas are large enough in {plan.region}" if plan.sagemaker else ""


@rule(
    "PRE021",
    "A quota of SageMaker is too small",
    why="HyperPod has a quota for each instance type, for a cluster and for all clusters. The "
    "default for accelerated types is 0.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html",
    calls=(QUOTAS, names.HYPERPOD),
    by_hand=_sagemaker_by_hand,
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
    joined = names.joined_hyperpod(case.plan)
    found = (case.find(names.HYPERPOD, ClusterName=joined) if joined else None) or {}
    ours = {group.name for group in case.plan.node_groups}
    for group in found.get("InstanceGroups", ()):
        if group["InstanceGroupName"] not in ours:
            type = str(group.get("InstanceType", ""))
            spot = "Spot" in group.get("CapacityRequirements", {})
            for title in quotas.of_hyperpod(type, spot=spot):
                used[title] += group.get("TargetCount", 0)
    return used


def _interfaces_by_hand(plan: Plan) -> str:
    return f"the quotas under Quotas are large enough in {plan.region}"


@rule(
    "PRE022",
    "The quota of network interfaces is too small",
    why="Each network card of a node takes an interface: 64 nodes of p5 have more than 2,000.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html",
    calls=(QUOTA, DEFAULT),
    by_hand=_interfaces_by_hand,
    bad="service-quotas:GetServiceQuota: {Value: 0}",
    good="service-quotas:GetServiceQuota: {Value: 100000}",
)
def interfaces(case: Case) -> Iterator[Problem]:
    for need in _of(case, "vpc"):
        yield from _short(case, need)


class _Resource(NamedTuple):
    """Something of which a new cluster needs one more."""

    what: str
    service: str
    code: str
    call: str
    member: str
    path: Path


_VPCS: Final = "ec2:DescribeVpcs"
_ADDRESSES: Final = "ec2:DescribeAddresses"


def _resources(plan: Plan) -> Iterator[_Resource]:
    if plan.network.new:
        yield _Resource("VPCs", "vpc", VPCS, _VPCS, "Vpcs", ("network",))
    if plan.network.new and not plan.network.closed:
        yield _Resource("Elastic IPs", "ec2", ADDRESSES, _ADDRESSES, "Addresses", ("network",))


def _resources_by_hand(plan: Plan) -> str:
    if not plan.network.new:
        return ""
    if plan.network.closed:
        return f"{plan.region} has room for one more VPC (5 by default)"
    return f"{plan.region} has room for one more VPC and Elastic IP (5 of each by default)"


@rule(
    "PRE023",
    "The account has no room for another VPC or Elastic IP",
    why="The foundation creates a VPC. Its NAT gateway, if it has one, has an Elastic IP.",
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
        most = _value(case, resource.service, resource.code)
        used = len(_listed(case, resource))
        if most is not None and used >= most:
            yield Problem(
                resource.path,
                f"the account has {used} of {most:,.0f} {resource.what} in {case.region}, and the "
                "foundation needs one more",
                _request(case, resource.service, resource.code, used + 1)
                + "; or use an existing VPC: `network: {vpc: ...}`",
            )


def _listed(case: Case, resource: _Resource) -> list[object]:
    if resource.call == _ADDRESSES:  # botocore has no paginator for it
        return [*case.ask(resource.call).get(resource.member, ())]
    return case.every(resource.call, resource.member)
