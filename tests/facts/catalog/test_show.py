"""Instance types as text and as JSON."""

import json

from clustergen.facts import catalog
from clustergen.facts.catalog.show import WIDTH, as_json, as_text

P6_B300 = """\
p6-b300.48xlarge
  processor     192 vCPUs (96 cores x 2 threads), x86_64, threads can be set to 1
  memory        4096 GiB
  accelerators  8 x NVIDIA B300, 268.6 GiB each (gpu)
  MIG profiles  1g.34gb, 1g.34gb+me, 1g.67gb, 2g.67gb, 3g.135gb, 4g.135gb, 7g.269gb
  network       6400 Gbit/s, 68 interfaces, 50 IPv4 addresses each
  network cards 0: 4 of interface; 1-16: 4 of interface, efa, efa-only
  EFA           16 interfaces (v4)
  local disks   8 x 3800 GB
  sold as       on-demand, spot, capacity-block
  price         142.416 USD per hour, On-Demand, Linux, us-east-1 (2026-07-20)
  HyperPod      ml.p6-b300.48xlarge, also by training plan
  quota         P, in vCPUs: On-Demand L-417A185B
  placement     cluster, partition, spread
  boot          legacy-bios, uefi
  zones         apne2-az3 aps2-az1 aps2-az3 apse3-az1 apse3-az2 apse3-az3 sae1-az2 sae1-az3 use1-az2
                use1-az6 usw2-az1 usw2-az2
  facts of      2026-10-27"""


def test_card() -> None:
    instance = catalog.find("p6-b300.48xlarge")
    assert instance is not None
    assert as_text(instance) == P6_B300


def test_every_card_is_narrow() -> None:
    for instance in catalog.every():
        lines = as_text(instance).splitlines()
        assert max(map(len, lines)) <= WIDTH, instance.name
        assert all(line == line.rstrip() for line in lines), instance.name


def test_json() -> None:
    instance = catalog.find("trn2u.48xlarge")
    assert instance is not None
    found = json.loads(json.dumps(as_json(instance)))
    assert found["name"] == "trn2u.48xlarge"
    assert found["accelerator"]["name"] == "Trainium2"
    assert found["cards"][0] == {
        "index": 0,
        "max_interfaces": 2,
        "interface_types": ["interface", "efa", "efa-only"],
    }
    assert (found["neuron_devices"], found["gpus"], found["efa"]) == (16, 0, True)
    assert found["regions"] == ["ap-south-2"]
