"""Prices from the Price List, by answers in the form of the API."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from botocore import stub

from clustergen.base.account import CallError
from clustergen.cli import main
from clustergen.facts.catalog import prices
from clustergen.facts.catalog.prices import price_list
from tests.support import service_models
from tests.support.tables import flow
from tools.catalog import prices as rebuilding


def product(attributes: Mapping[str, str], unit: str, *tiers: tuple[str, str]) -> str:
    """A product as in an answer: a JSON string; ``tiers`` are beginnings and USD."""
    dimensions = {
        f"SKU.JRTCKXETXF.{number}": {
            "unit": unit,
            "beginRange": begin,
            "endRange": "Inf",
            "description": "",
            "appliesTo": [],
            "rateCode": f"SKU.JRTCKXETXF.{number}",
            "pricePerUnit": {"USD": usd},
        }
        for number, (begin, usd) in enumerate(tiers)
    }
    terms = {"OnDemand": {"SKU.JRTCKXETXF": {"priceDimensions": dimensions, "sku": "SKU"}}}
    return json.dumps(
        {
            "product": {"productFamily": "x", "attributes": dict(attributes), "sku": "SKU"},
            "serviceCode": "x",
            "terms": terms,
            "version": "20261120",
            "publicationDate": "2026-11-20T00:00:00Z",
        }
    )


def products(table: str) -> list[tuple[str, str, float]]:
    """Rows of a name, a product with these attributes, unit and tiers, and a price."""
    return [
        (name, product(attributes, unit, *tiers.items()), usd)
        for row in flow(table)
        for name, (attributes, unit, tiers, usd) in row.items()
    ]


# name of the query's prices: attributes of the product, unit, USD by beginning of a tier; price
ANSWERS = products("""
- EC2 p5.48xlarge: [{instanceType: p5.48xlarge}, Hrs, {'0': '55.0400000000'}, 55.04]
- HyperPod ml.p5.48xlarge:
    [{usagetype: 'USE2-Cluster:ml.p5.48xlarge'}, Hrs, {'0': '66.0480000000'}, 66.048]
- EKS cluster: [{usagetype: 'USE2-AmazonEKS-Hours:perCluster'}, hours, {'0': '0.1'}, 0.1]
- FSx for Lustre PERSISTENT_2 SSD 250:
    [{fileSystemType: Lustre, storageType: SSD, throughputCapacity: 250 MB/s/TiB}, GB-Mo,
    {'0': '0.21'}, 0.21]
- EBS gp3 throughput:
    [{usagetype: 'USE2-EBS:VolumeP-Throughput.gp3'}, GiBps-mo, {'0': '40.96'}, 0.04]
- EBS gp3: [{volumeApiName: gp3}, GB-Mo, {'0': '0.08'}, 0.08]
- NAT gateway: [{usagetype: USE2-NatGateway-Hours}, Hrs, {'0': '0.045'}, 0.045]
- Network Load Balancer: [{usagetype: USE2-LoadBalancerUsage}, Hrs, {'0': '0.0225'}, 0.0225]
- CloudWatch logs:
    [{usagetype: USE2-DataProcessing-Bytes}, GB, {'5': '0.5', '0': '0.0000000000'}, 0.5]
""")
# Products of the same queries that are no prices of the catalog.
OTHERS = products("""
- 'HyperPod ': [{usagetype: 'USE2-Host:ml.p5.48xlarge'}, Hrs, {'0': '63'}, 0]
- 'HyperPod ': [{usagetype: 'USE2-Cluster:ml.p5.48xlarge-Reserved'}, Hrs, {'0': '1'}, 0]
- Network Load Balancer: [{usagetype: USE2-Outposts-LoadBalancerUsage}, Hrs, {'0': '0.02'}, 0]
- NAT gateway: [{usagetype: USE2-NatGateway-Bytes}, GB, {'0': '0.045'}, 0]
- EBS gp3: [{volumeApiName: gp3}, GB-Mo, {'0': '0'}, 0]
""")


@pytest.fixture
def stubbed() -> Iterator[Any]:
    client = service_models.session().create_client("pricing", region_name="us-east-1")
    with stub.Stubber(client) as stubber:
        yield stubber


@pytest.mark.parametrize(("name", "answer", "usd"), ANSWERS)
def test_products(name: str, answer: str, usd: float, stubbed: Any) -> None:
    query = price_list.query_of(name)
    assert query
    arguments = query.arguments("us-east-2", name)
    first, second = {"NextToken": "next"}, {**arguments, "NextToken": "next"}
    stubbed.add_response("get_products", {"PriceList": [], **first}, arguments)
    stubbed.add_response("get_products", {"PriceList": [answer]}, second)
    (found,) = price_list.products(stubbed.client, query, "us-east-2", name, "2026-11-20")
    assert found.name == name
    assert found.usd == pytest.approx(usd)
    assert (found.place, found.source.date) == ("us-east-2", "2026-11-20")
    recorded = prices.RECORDED.find(found.name, "us-east-1")
    assert recorded
    assert found.unit == recorded.unit


@pytest.mark.parametrize(("name", "answer"), [row[:2] for row in OTHERS])
def test_other_products(name: str, answer: str, stubbed: Any) -> None:
    query = price_list.query_of(name)
    assert query
    stubbed.add_response("get_products", {"PriceList": [answer]})
    assert list(price_list.products(stubbed.client, query, "us-east-2", name, "2026-11-20")) == []


def test_on_demand_only() -> None:
    """The Price List also has rows of Capacity Blocks, at 0 USD."""
    query = price_list.query_of("EC2 p5.48xlarge")
    assert query
    filters = query.arguments("us-east-2", "EC2 p5.48xlarge")["Filters"]
    fields = {each["Field"]: each["Value"] for each in filters}
    assert fields["marketoption"] == "OnDemand"
    assert fields["instanceType"] == "p5.48xlarge"


def test_a_live_price_takes_one_request(stubbed: Any) -> None:
    answer = product({"instanceType": "p5.48xlarge"}, "Hrs", ("0", "50"))
    stubbed.add_response("get_products", {"PriceList": [answer]})
    book = price_list.Live(stubbed.client, "2026-11-20")
    for _ in range(2):
        found = book.find("EC2 p5.48xlarge", "us-east-2")
        assert found
        assert (found.usd, found.source.date) == (50, "2026-11-20")


def test_prices_without_product_are_those_of_the_catalog(stubbed: Any) -> None:
    stubbed.add_response("get_products", {"PriceList": []})
    book = price_list.Live(stubbed.client, "2026-11-20")
    for name, place in (
        ("EC2 p5.48xlarge", "us-east-2"),
        ("Capacity Block p5.48xlarge", "us-east-2"),
        ("PCS controller SMALL", "us-east-2"),
        ("Capacity Block u-p6e-gb200x72", "us-east-1-dfw"),
    ):
        assert book.find(name, place) == prices.RECORDED.find(name, place)


def test_access_denied(stubbed: Any) -> None:
    stubbed.add_client_error("get_products", "AccessDeniedException", "not allowed")
    book = price_list.Live(stubbed.client, "2026-11-20")
    with pytest.raises(CallError, match="pricing:GetProducts"):
        book.find("NAT gateway", "us-east-2")


def test_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    book = price_list.Live(price_list.client(), "2026-11-20")
    with pytest.raises(CallError, match="no AWS credentials"):
        book.find("NAT gateway", "us-east-2")


def test_the_command_with_live_prices(
    stubbed: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stubbed.add_client_error("get_products", "ThrottlingException", "slow down")
    monkeypatch.setattr(price_list, "client", lambda: stubbed.client)
    spec = tmp_path / "a.yaml"
    spec.write_text(
        "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
        "node_groups: [{name: cpu, instance_type: m7i.xlarge, count: 1}]\ntargets: {pcs: {}}\n"
    )
    assert main(["cost", "--live", str(spec)]) == 2
    assert "ThrottlingException" in capsys.readouterr().err


def test_new_prices_replace_those_of_their_place() -> None:
    new = [
        prices.Price("EC2 p5.48xlarge", 50.0, "instance-hour", place, prices.Source("x", "y"))
        for place in ("us-east-1", "ap-southeast-5")
    ]
    files = rebuilding.merged(list(prices.rows()), new, "2027-01-01")
    rows = {row["price"]: row for row in map(json.loads, files["prices.jsonl"].splitlines())}
    old = {row["price"]: row for row in prices.rows()}
    by_place = {
        place: (source, usd)
        for source, found in rows["EC2 p5.48xlarge"]["usd"].items()
        for place, usd in found.items()
    }
    assert by_place["use1"] == by_place["apse5"] == ("price-list-2027-01-01", 50.0)
    assert "use2" in by_place
    assert {name: row for name, row in rows.items() if name != "EC2 p5.48xlarge"} == {
        name: row for name, row in old.items() if name != "EC2 p5.48xlarge"
    }
    sources = json.loads(files["price_sources.json"])
    assert sources["price-list-2027-01-01"]["date"] == "2027-01-01"
    assert {key for row in rows.values() for key in row["usd"]} == set(sources)


def test_nothing_new_changes_nothing() -> None:
    files = rebuilding.merged(list(prices.rows()), [], "2027-01-01")
    for name, text in files.items():
        assert (prices.DATA / name).read_text(encoding="ascii") == text


def test_a_rebuild(
    stubbed: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    queries = [query for query in price_list.QUERIES if query.prefix == "NAT gateway"]
    monkeypatch.setattr(rebuilding, "QUERIES", queries)
    monkeypatch.setattr(rebuilding, "DATA", tmp_path)
    answer = product({"usagetype": "USE2-NatGateway-Hours"}, "Hrs", ("0", "0.05"))
    stubbed.add_response("get_products", {"PriceList": [answer]})
    assert rebuilding.main(["--region", "us-east-2"], stubbed.client) == 0
    assert '"use2":0.05' in (tmp_path / "prices.jsonl").read_text()
    assert capsys.readouterr().out.startswith("1 prices")
    stubbed.add_client_error("get_products", "AccessDeniedException", "not allowed")
    assert rebuilding.main(["--region", "us-east-2"], stubbed.client) == 2
