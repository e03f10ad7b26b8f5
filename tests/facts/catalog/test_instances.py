"""The facts of the types that clusters are made of, as AWS documents them."""

import dataclasses
import json
from typing import Any

import pytest

from clustergen.facts import catalog
from clustergen.facts.catalog import rows
from clustergen.facts.catalog.instance import InstanceType, NetworkCard
from clustergen.facts.catalog.lookup import DATA


def found(name: str) -> InstanceType:
    instance = catalog.find(name)
    assert instance is not None, name
    return instance


# name, architecture, vCPUs, cores, GiB, Gbit/s, cards, EFA interfaces, EFA generation
MACHINES = [
    ("p4d.24xlarge", "x86_64", 96, 48, 1152, 400, 4, 4, "v1"),
    ("p5.4xlarge", "x86_64", 16, 8, 256, 100, 1, 1, "v2"),
    ("p5.48xlarge", "x86_64", 192, 96, 2048, 3200, 32, 32, "v2"),
    ("p5e.48xlarge", "x86_64", 192, 96, 2048, 3200, 32, 32, "v2"),
    ("p5en.48xlarge", "x86_64", 192, 96, 2048, 3200, 16, 16, "v3"),
    ("p6-b200.48xlarge", "x86_64", 192, 96, 2048, 3200, 8, 8, "v4"),
    ("p6-b300.48xlarge", "x86_64", 192, 96, 4096, 6400, 17, 16, "v4"),
    ("p6e-gb200.36xlarge", "arm64", 144, 144, 960, 1600, 17, 16, "v3"),
    ("trn1.2xlarge", "x86_64", 8, 4, 32, 12.5, 1, 0, None),
    ("trn1n.32xlarge", "x86_64", 128, 64, 512, 1600, 16, 16, "v2"),
    ("trn2.3xlarge", "x86_64", 12, 6, 128, 200, 1, 1, "v3"),
    ("trn2.48xlarge", "x86_64", 192, 96, 2048, 3200, 16, 16, "v3"),
    ("trn2u.48xlarge", "x86_64", 192, 96, 2048, 3200, 16, 16, "v3"),
    ("inf2.48xlarge", "x86_64", 192, 96, 768, 100, 1, 0, None),
    ("g5.48xlarge", "x86_64", 192, 96, 768, 100, 1, 1, "v1"),
    ("g6e.24xlarge", "x86_64", 96, 48, 768, 200, 2, 2, "v2"),
    ("g6e.48xlarge", "x86_64", 192, 96, 1536, 400, 4, 4, "v2"),
    ("g7e.48xlarge", "x86_64", 192, 96, 2048, 1600, 4, 4, "v4"),
    ("hpc6id.32xlarge", "x86_64", 64, 64, 1024, 200, 2, 2, "v2"),
    ("hpc7a.96xlarge", "x86_64", 192, 192, 768, 300, 2, 2, "v2"),
    ("hpc7g.16xlarge", "arm64", 64, 64, 128, 200, 1, 1, "v3"),
    ("hpc8a.96xlarge", "x86_64", 192, 192, 768, 300, 2, 2, "v4"),
    ("c7gn.16xlarge", "arm64", 64, 64, 128, 200, 1, 1, "v3"),
    ("c8gn.48xlarge", "arm64", 192, 192, 384, 600, 2, 2, "v4"),
    ("i7ie.48xlarge", "x86_64", 192, 96, 1536, 200, 2, 1, "v3"),
    ("m7i.4xlarge", "x86_64", 16, 8, 64, 12.5, 1, 0, None),
    ("m1.small", "x86_64", 1, 1, 1.69921875, 1.2, 1, 0, None),
]


@pytest.mark.parametrize("expected", MACHINES, ids=lambda expected: expected[0])
def test_machine(expected: tuple[object, ...]) -> None:
    one = found(str(expected[0]))
    assert (
        one.name,
        one.arch,
        one.vcpus,
        one.cores,
        one.memory_gib,
        one.network_gbps,
        len(one.cards),
        one.max_efa,
        one.efa_generation,
    ) == expected


# name, kind, manufacturer, accelerator, count, MiB each
ACCELERATORS = [
    ("p4d.24xlarge", "gpu", "NVIDIA", "A100", 8, 40960),
    ("p4de.24xlarge", "gpu", "NVIDIA", "A100", 8, 81920),
    ("p5.4xlarge", "gpu", "NVIDIA", "H100", 1, 81920),
    ("p5en.48xlarge", "gpu", "NVIDIA", "H200", 8, 144384),
    ("p6-b200.48xlarge", "gpu", "NVIDIA", "B200", 8, 183359),
    ("p6-b300.48xlarge", "gpu", "NVIDIA", "B300", 8, 275040),
    ("p6e-gb200.36xlarge", "gpu", "NVIDIA", "GB200", 4, 189440),
    ("trn1.32xlarge", "neuron", "AWS", "Trainium", 16, 32768),
    ("trn2.3xlarge", "neuron", "AWS", "Trainium2", 1, 98304),
    ("trn2.48xlarge", "neuron", "AWS", "Trainium2", 16, 98304),
    ("trn2u.48xlarge", "neuron", "AWS", "Trainium2", 16, 98304),
    ("inf2.48xlarge", "neuron", "AWS", "Inferentia2", 12, 32768),
    ("g6e.48xlarge", "gpu", "NVIDIA", "L40S", 8, 45776),
    ("dl2q.24xlarge", "inference", "Qualcomm", "Qualcomm AI100", 8, 16000),
    ("vt1.24xlarge", "media", "Xilinx", "U30", 8, 24576),
]


@pytest.mark.parametrize("expected", ACCELERATORS, ids=lambda expected: expected[0])
def test_accelerator(expected: tuple[object, ...]) -> None:
    accelerator = found(str(expected[0])).accelerator
    assert accelerator is not None
    assert (expected[0], *dataclasses.astuple(accelerator)) == expected


@pytest.mark.parametrize("name", ["c8gn.48xlarge", "hpc7a.96xlarge", "m7i.4xlarge"])
def test_no_accelerator(name: str) -> None:
    one = found(name)
    assert (one.accelerator, one.gpus, one.neuron_devices) == (None, 0, 0)


PLAIN, EFA, EFA_ONLY = ("interface",), ("interface", "efa", "efa-only"), ("efa-only",)

# name -> (number of cards, interfaces on each, what they take) of each run of like cards
CARDS: dict[str, list[tuple[int, int, tuple[str, ...]]]] = {
    "p5.48xlarge": [(1, 2, EFA), (31, 2, EFA)],
    "p5en.48xlarge": [(16, 4, EFA)],
    "p6-b200.48xlarge": [(8, 4, EFA)],
    "p6-b300.48xlarge": [(1, 4, PLAIN), (16, 4, EFA)],
    "hpc6id.32xlarge": [(2, 1, EFA)],
    "i7ie.48xlarge": [(1, 8, EFA), (1, 7, EFA)],
    "trn2.48xlarge": [(16, 2, EFA)],
    "p6e-gb200.36xlarge": [(1, 7, PLAIN), *([(1, 2, EFA_ONLY), (1, 2, EFA)] * 8)],
}


@pytest.mark.parametrize("name", CARDS)
def test_cards(name: str) -> None:
    forms = [(most, types) for count, most, types in CARDS[name] for _ in range(count)]
    expected = tuple(NetworkCard(n, most, types) for n, (most, types) in enumerate(forms))
    assert found(name).cards == expected


# name, how it is sold, HyperPod name, training plan, quota family, On-Demand code, Spot code
TERMS: list[tuple[Any, ...]] = [
    ("p4d.24xlarge", "osc", "ml.p4d.24xlarge", True, "P", "L-417A185B", "L-7212CCBC"),
    ("p5en.48xlarge", "osc", "ml.p5en.48xlarge", True, "P", "L-417A185B", "L-C4BD4855"),
    ("p6-b200.48xlarge", "osc", "ml.p6-b200.48xlarge", True, "P", "L-417A185B", None),
    ("p6e-gb200.36xlarge", "c", "ml.p6e-gb200.36xlarge", True, "P", "L-417A185B", None),
    ("trn1n.32xlarge", "os", "ml.trn1n.32xlarge", False, "Trn", "L-2C3B7624", "L-6B0D517C"),
    ("trn2u.48xlarge", "oc", None, False, "Trn", "L-2C3B7624", None),
    ("inf2.48xlarge", "os", None, False, "Inf", "L-1945791B", "L-B5D1601B"),
    ("hpc7a.96xlarge", "o", None, False, "HPC", "L-F7808C92", None),
    ("gr6.8xlarge", "os", "ml.gr6.8xlarge", False, "G and VT", "L-DB2E81BA", "L-3819A6DF"),
    ("t3.large", "os", "ml.t3.large", False, "Standard", "L-1216C47A", "L-34B43A08"),
    ("u7i-12tb.224xlarge", "o", None, False, "High Memory", "L-43DA4232", None),
]
SOLD = {"o": "on-demand", "s": "spot", "c": "capacity-block"}


@pytest.mark.parametrize("expected", TERMS, ids=lambda expected: expected[0])
def test_terms(expected: tuple[Any, ...]) -> None:
    name, sold, *rest = expected
    one = found(str(name))
    assert one.usage_classes == tuple(SOLD[letter] for letter in str(sold))
    quota = one.quota
    assert [one.hyperpod, one.training_plan, quota.family, quota.on_demand, quota.spot] == rest


# name, USD per hour
PRICES = [
    ("p5.48xlarge", 55.04),
    ("p5en.48xlarge", 63.296),
    ("m7i.4xlarge", 0.8064),
    ("p5e.48xlarge", None),
]


@pytest.mark.parametrize(("name", "price"), PRICES)
def test_price(name: str, price: float | None) -> None:
    assert found(name).price_usd_hour == price


# name, the single facts that are not like the others'
ODD = [
    ("p4d.24xlarge", {"boot_modes": ("legacy-bios",)}),
    ("hpc7g.16xlarge", {"boot_modes": ("uefi",)}),
    ("vt1.24xlarge", {"placement": ("partition", "spread")}),
    ("c5n.metal", {"bare_metal": True}),
    ("t3.large", {"burstable": True}),
    ("c4.large", {"current_generation": False}),
    ("hpc7a.96xlarge", {"valid_threads_per_core": (1,)}),
    ("p5en.48xlarge", {"valid_threads_per_core": (1, 2), "disk_count": 8, "disk_gb": 3800}),
    ("m7i.4xlarge", {"disk_count": 0, "network_burst": True, "ipv4_per_interface": 30}),
    ("i7ie.48xlarge", {"max_interfaces": 15}),
    ("p6e-gb200.36xlarge", {"max_interfaces": 39, "ultraserver": "u-p6e-gb200"}),
]


@pytest.mark.parametrize(("name", "facts"), ODD)
def test_odd_fact(name: str, facts: dict[str, object]) -> None:
    one = found(name)
    assert {key: getattr(one, key) for key in facts} == facts


# name, region, whether it is offered there; None: not known
OFFERED = [
    ("p5en.48xlarge", "us-east-1", True),
    ("p5en.48xlarge", "eu-west-1", False),
    ("p5en.48xlarge", "us-gov-west-1", None),
    ("p5en.48xlarge", "nowhere-1", None),
    ("p6e-gb200.36xlarge", "us-east-1", True),
    ("p6e-gb200.36xlarge", "us-west-2", False),
]


@pytest.mark.parametrize(("name", "region", "expected"), OFFERED)
def test_offered(name: str, region: str, expected: bool | None) -> None:
    assert found(name).offered_in(region) is expected


# name, zone id, whether it is offered there; None: not known
OFFERED_IN_ZONE = [
    ("p6-b200.48xlarge", "use1-az6", True),
    ("p6-b200.48xlarge", "use1-az1", False),
    ("p6e-gb200.36xlarge", "use1-dfw2-az1", True),
    ("p5en.48xlarge", "use1-dfw2-az1", None),
    ("p5en.48xlarge", "use1-az9", None),
    ("p5en.48xlarge", "us-east-1a", None),
]


@pytest.mark.parametrize(("name", "zone", "expected"), OFFERED_IN_ZONE)
def test_offered_in_zone(name: str, zone: str, expected: bool | None) -> None:
    assert found(name).offered_in_zone(zone) is expected


def test_every_row_loads_and_is_consistent() -> None:
    for one in catalog.every():
        assert one.vcpus == one.cores * one.threads_per_core, one.name
        assert [card.index for card in one.cards] == list(range(len(one.cards))), one.name
        assert one.max_efa <= sum(card.efa for card in one.cards), one.name
        assert one.efa_generation if one.efa else one.max_efa == 0, one.name
        assert one.cards[0].max_interfaces >= 1, one.name
        assert one.network_gbps > 0, one.name
        assert "interface" in one.cards[0].interface_types, one.name
        assert one.threads_per_core in one.valid_threads_per_core, one.name
        assert one.zone_ids, one.name


def test_names_are_sorted_and_found() -> None:
    names = catalog.names()
    assert list(names) == sorted(set(names))
    assert names == tuple(one.name for one in catalog.every())
    assert all(catalog.find(name) is not None for name in names)
    assert len(names) >= 1396


# What must not be taken for a name by a search in text.
@pytest.mark.parametrize(
    "name",
    ["", "p5en", 'p5en.48xlarge"', "p5en.48xlarge ", "\n", '"', "p5en.48xlarge\n", "é", "\ud800"],
)
def test_no_such_name(name: str) -> None:
    assert catalog.find(name) is None


def test_rows_round_trip() -> None:
    for line in (DATA / "instances.jsonl").read_text(encoding="ascii").splitlines():
        assert rows.line(json.loads(line)) == line


def test_cards_round_trip() -> None:
    for one in catalog.every():
        assert rows.decode_cards(rows.encode_cards(one.cards)) == one.cards


@pytest.mark.parametrize("zone", ["use1-az7", "xxx9-az1"])
def test_zone_numbers_above_six_are_rejected(zone: str) -> None:
    with pytest.raises(ValueError, match=zone):
        rows.encode_zones([zone], ["us-east-1"])
