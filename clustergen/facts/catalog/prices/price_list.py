"""Prices from the Price List of AWS, which needs credentials and botocore.

https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
The API has endpoints in a few regions only, with the prices of all. An answer has products as JSON
strings, with their price dimensions in ``terms.OnDemand``.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from clustergen.base import account
from clustergen.facts.catalog import regions
from clustergen.facts.catalog.prices import MONTH_HOURS, RECORDED, Price, Source

CALL = "pricing:GetProducts"
ENDPOINT_REGION = "us-east-1"
SOURCE = "AWS Price List"

Attributes = Mapping[str, str]


class Query(NamedTuple):
    """Products of one kind in a region, and which prices they are."""

    prefix: str
    """How the names of these prices begin."""
    service: str
    filters: Attributes
    name: Callable[[Attributes], str | None]
    """The name of a product's price; None for other products."""
    unit: str
    by_type: bool = False
    """Whether each instance type is a query of its own: there are thousands."""

    def arguments(self, region: str, price: str) -> dict[str, Any]:
        fields = {**self.filters, "regionCode": region}
        if self.by_type:
            fields["instanceType"] = price.removeprefix(self.prefix)
        matches = [{"Type": "TERM_MATCH", "Field": k, "Value": v} for k, v in fields.items()]
        return {"ServiceCode": self.service, "Filters": matches, "FormatVersion": "aws_v1"}


def _single(name: str, service: str, family: str, usage: str, unit: str, **fields: str) -> Query:
    """The query for one price: that of products whose usage type ends with ``usage``."""

    def of(product: Attributes) -> str | None:
        return name if product.get("usagetype", "").endswith(usage) else None

    return Query(name, service, {"productFamily": family, **fields}, of, unit)


def _load_balancer(product: Attributes) -> str | None:
    """Those of Outposts and Local Zones have a word more."""
    plain = re.fullmatch(r"(?:[A-Z0-9]+-)?LoadBalancerUsage", product.get("usagetype", ""))
    return "Network Load Balancer" if plain else None


def _hyperpod(product: Attributes) -> str | None:
    match = re.fullmatch(r"(?:[A-Z0-9]+-)?Cluster:(ml\.[a-z0-9.-]+)", product.get("usagetype", ""))
    return f"HyperPod {match[1]}" if match else None


_LUSTRE = {
    **dict.fromkeys(("125", "250", "500", "1000"), "PERSISTENT_2 SSD"),
    **dict.fromkeys(("50", "100", "200"), "PERSISTENT_1 SSD"),
}


def _lustre(product: Attributes) -> str | None:
    """The throughput tells the deployment type; HDD has tiers of its own."""
    tier = re.match(r"\d+", product.get("throughputCapacity", ""))
    if product.get("fileSystemType") != "Lustre" or product.get("storageType") != "SSD":
        return None
    kind = _LUSTRE.get(tier[0]) if tier else None
    return f"FSx for Lustre {kind} {tier[0]}" if kind and tier else None


def _volume(product: Attributes) -> str | None:
    return f"EBS {product['volumeApiName']}" if "volumeApiName" in product else None


_LINUX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "capacitystatus": "Used",
    "preInstalledSw": "NA",
    "marketoption": "OnDemand",
}

QUERIES: Sequence[Query] = (
    Query(
        "EC2 ",
        "AmazonEC2",
        _LINUX,
        lambda product: f"EC2 {product['instanceType']}",
        "instance-hour",
        by_type=True,
    ),
    Query(
        "HyperPod ", "AmazonSageMaker", {"productFamily": "ML Instance"}, _hyperpod, "instance-hour"
    ),
    _single("EKS cluster", "AmazonEKS", "Compute", "AmazonEKS-Hours:perCluster", "hour"),
    Query(
        "FSx for Lustre PERSISTENT_",
        "AmazonFSx",
        {"productFamily": "Storage", "fileSystemType": "Lustre"},
        _lustre,
        "GB-month",
    ),
    _single(
        "EBS gp3 iops",
        "AmazonEC2",
        "System Operation",
        "EBS:VolumeP-IOPS.gp3",
        "IOPS-month",
        volumeApiName="gp3",
    ),
    _single(
        "EBS gp3 throughput",
        "AmazonEC2",
        "Provisioned Throughput",
        "EBS:VolumeP-Throughput.gp3",
        "MBps-month",
        volumeApiName="gp3",
    ),
    Query("EBS ", "AmazonEC2", {"productFamily": "Storage"}, _volume, "GB-month"),
    _single(
        "EFS provisioned",
        "AmazonEFS",
        "Provisioned Throughput",
        "ProvisionedTP-MiBpsHrs",
        "MBps-month",
    ),
    _single("NAT gateway", "AmazonEC2", "NAT Gateway", "NatGateway-Hours", "hour"),
    Query(
        "Network Load Balancer",
        "AWSELB",
        {"productFamily": "Load Balancer-Network", "locationType": "AWS Region"},
        _load_balancer,
        "hour",
    ),
    _single("CloudWatch logs", "AmazonCloudWatch", "Data Payload", "DataProcessing-Bytes", "GB"),
)


def query_of(price: str) -> Query | None:
    """The query that answers for the price of this name; None if the Price List has none."""
    return next((query for query in QUERIES if price.startswith(query.prefix)), None)


def products(client: Any, query: Query, region: str, price: str, date: str) -> Iterator[Price]:
    """The prices in the answers to a query.

    :raises CallError: if there is no answer.
    """
    for page in account.ask_pages(client, CALL, **query.arguments(region, price)):
        for text in page["PriceList"]:
            yield from _price(json.loads(text), query, region, date)


def _price(product: Mapping[str, Any], query: Query, region: str, date: str) -> Iterator[Price]:
    name = query.name(product["product"]["attributes"])
    usd = _usd(product) if name else None
    if name and usd:
        yield Price(name, usd, query.unit, region, Source(SOURCE, date))


def _usd(product: Mapping[str, Any]) -> float | None:
    """USD of the first tier that is not free, for the units that the catalog counts in."""
    terms = product.get("terms", {}).get("OnDemand", {}).values()
    dimensions = [each for term in terms for each in term["priceDimensions"].values()]
    dimensions.sort(key=lambda each: float(each.get("beginRange", 0)))
    for each in dimensions:
        usd = float(each["pricePerUnit"].get("USD", 0))
        if usd:
            return round(usd * _UNITS.get(each["unit"], 1), 10)
    return None


_UNITS = {"GiBps-mo": 1 / 1024, "MiBps-Hrs": MONTH_HOURS}
"""Units of the Price List in those of the catalog."""


def client() -> Any:
    """A client of the Price List.

    :raises CallError: without botocore or credentials.
    """
    return account.clients("pricing", ENDPOINT_REGION)


class Live:
    """The prices of the Price List, and those of the catalog where it has none."""

    def __init__(self, client: Any, date: str) -> None:
        self._client = client
        self._date = date
        self._found: dict[tuple[str, str], Price | None] = {}
        self._asked: set[tuple[str, str]] = set()

    def find(self, name: str, place: str) -> Price | None:
        """The price, asked for once.

        :raises CallError: if the Price List does not answer.
        """
        query = query_of(name)
        if query is None or place not in regions.ZONE_PREFIXES:
            return RECORDED.find(name, place)
        asked = (name if query.by_type else query.prefix, place)
        if asked not in self._asked:
            self._asked.add(asked)
            for price in products(self._client, query, place, name, self._date):
                self._found.setdefault((price.name, place), price)
        return self._found.get((name, place)) or RECORDED.find(name, place)
