"""The command that tells whether an offer exists in an account, today."""

from clustergen.analysis.recommend.need import Need
from clustergen.analysis.recommend.offers import Offer
from clustergen.facts.catalog import blocks


def command(offer: Offer, need: Need) -> str:
    """A command of the AWS CLI; none of them buys anything."""
    hyperpod = offer.services[0].startswith("hyperpod")
    match offer.kind:
        case "capacity-block":
            return _blocks(offer, need)
        case "training-plan":
            return _plans(offer, need)
        case "spot" if not hyperpod:
            return (
                f"aws ec2 get-spot-placement-scores --region {offer.region} "
                f"--instance-types {offer.type.name} --target-capacity {offer.nodes} "
                f"--single-availability-zone --region-names {offer.region}"
            )
        case _:
            return _quota(offer)


def _blocks(offer: Offer, need: Need) -> str:
    nodes = min(offer.nodes, blocks.MOST_INSTANCES)
    what = f"--instance-type {offer.type.name} --instance-count {nodes}"
    if offer.type.nvlink_domain:
        server = "u-p6e-gb200x72" if offer.nodes % 18 == 0 else "u-p6e-gb200x36"
        count = offer.nodes // (18 if server.endswith("x72") else 9)
        what = f"--ultraserver-type {server} --ultraserver-count {count}"
    return (
        f"aws ec2 describe-capacity-block-offerings --region {offer.region} {what} "
        f"--capacity-duration-hours {offer.hours}{_from(need, '--start-date-range')}"
    )


def _plans(offer: Offer, need: Need) -> str:
    return (
        f"aws sagemaker search-training-plan-offerings --region {offer.region} "
        f"--instance-type {offer.type.hyperpod} --instance-count {offer.nodes} "
        f"--duration-hours {offer.hours} --target-resources hyperpod-cluster"
        f"{_from(need, '--start-time-after')}"
    )


def _quota(offer: Offer) -> str:
    if offer.services[0].startswith("hyperpod"):
        return (
            f"aws service-quotas list-service-quotas --region {offer.region} "
            "--service-code sagemaker --query "
            f"\"Quotas[?contains(QuotaName, '{offer.type.hyperpod} for cluster')]\""
        )
    return (
        f"aws service-quotas get-service-quota --region {offer.region} --service-code ec2 "
        f"--quota-code {offer.type.quota.on_demand}"
    )


def _from(need: Need, option: str) -> str:
    return f" {option} {need.start}T00:00:00Z" if need.start else ""
