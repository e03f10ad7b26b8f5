"""Facts about EC2 instance types, as values."""

import functools
from dataclasses import dataclass

from clustergen.facts.catalog import prices
from clustergen.facts.catalog import regions as geography


@dataclass(frozen=True, slots=True)
class NetworkCard:
    """One network card of an instance, from ``NetworkCards`` of DescribeInstanceTypes."""

    index: int
    max_interfaces: int
    interface_types: tuple[str, ...]
    """Supported kinds: ``interface``, ``efa``, ``efa-only``."""

    @property
    def efa(self) -> bool:
        """Whether the card supports either kind of EFA interface."""
        return "efa" in self.interface_types or "efa-only" in self.interface_types


@dataclass(frozen=True, slots=True)
class Accelerator:
    """The accelerators of an instance, all of which are the same."""

    kind: str
    """``gpu``, ``neuron`` (Trainium and Inferentia), ``inference``, ``fpga`` or ``media``."""
    manufacturer: str
    name: str
    count: int
    memory_mib: int
    """Memory of each accelerator."""


@dataclass(frozen=True, slots=True)
class Quota:
    """The EC2 service quotas, in vCPUs, that a launch counts against."""

    family: str
    on_demand: str | None
    spot: str | None
    """None if no Spot quota is documented for the family, or it is not available as Spot."""


@dataclass(frozen=True, slots=True)
class InstanceType:
    """One instance type, with all facts that the compiler uses. Sources:
    ``data/provenance.json``."""

    name: str
    arch: str
    """``x86_64`` or ``arm64``; Apple hosts have ``x86_64_mac`` or ``arm64_mac``."""
    vcpus: int
    cores: int
    threads_per_core: int
    valid_threads_per_core: tuple[int, ...]
    memory_mib: int
    accelerator: Accelerator | None
    network_gbps: float
    """Gbit/s of the whole instance (for EFA types: over EFA), never the sum of the cards, which
    counts shared links twice."""
    network_burst: bool
    """Whether ``network_gbps`` is a burst maximum ("Up to 12.5 Gigabit")."""
    cards: tuple[NetworkCard, ...]
    max_efa: int
    nitro: int | None
    """Generation of the Nitro system, where documented."""
    ipv4_per_interface: int
    disk_count: int
    disk_gb: int
    """Size of each local NVMe disk, in GB as in the EC2 API."""
    usage_classes: tuple[str, ...]
    """``on-demand``, ``spot``, ``capacity-block``."""
    placement: tuple[str, ...]
    """Placement group strategies: ``cluster``, ``partition``, ``spread``."""
    boot_modes: tuple[str, ...]
    bare_metal: bool
    burstable: bool
    current_generation: bool
    zone_ids: tuple[str, ...]
    """Zones that offer it, of the surveyed regions only."""
    hyperpod: str | None
    """Its SageMaker HyperPod name, such as ``ml.p5en.48xlarge``."""
    training_plan: bool
    """Whether SageMaker training plans offer it."""
    quota: Quota
    ultraserver: str | None
    """The UltraServer it is a part of."""
    own: bool = False
    """Whether the facts are the user's: a file of the project describes it."""

    @property
    def price_usd_hour(self) -> float | None:
        """On-Demand, Linux, us-east-1."""
        found = prices.RECORDED.find(f"EC2 {self.name}", "us-east-1")
        return found.usd if found else None

    @property
    def ml_name(self) -> str:
        """Its name in the API of SageMaker, whether or not HyperPod has it."""
        return f"ml.{self.name}"

    @property
    def family(self) -> str:
        """``p5en`` of ``p5en.48xlarge``."""
        return self.name.partition(".")[0]

    @property
    def size(self) -> str:
        """``48xlarge`` of ``p5en.48xlarge``."""
        return self.name.partition(".")[2]

    @property
    def memory_gib(self) -> float:
        return self.memory_mib / 1024

    @property
    def max_interfaces(self) -> int:
        """Network interfaces of all cards."""
        return sum(card.max_interfaces for card in self.cards)

    @property
    def efa(self) -> bool:
        """Whether it supports EFA."""
        return self.max_efa > 0

    @property
    def efa_generation(self) -> str | None:
        """``v1`` to ``v4``: the Nitro generation minus two.

        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html (2026-08)
        """
        return f"v{self.nitro - 2}" if self.efa and self.nitro else None

    @property
    def gpus(self) -> int:
        """Number of GPUs; 0 for Trainium and Inferentia, which have Neuron devices."""
        return self._count("gpu")

    @property
    def neuron_devices(self) -> int:
        """Number of Trainium or Inferentia devices."""
        return self._count("neuron")

    @property
    def nvlink_domain(self) -> bool:
        """Whether its GPUs share an NVLink domain with GPUs of other instances.

        This excludes Trn2 UltraServers: trn2u is also sold as single instances.
        """
        return self.ultraserver is not None and self.gpus > 0

    @property
    def capacity_block(self) -> bool:
        """Whether EC2 Capacity Blocks for ML offer it."""
        return "capacity-block" in self.usage_classes

    @property
    def spot(self) -> bool:
        return "spot" in self.usage_classes

    @property
    def regions(self) -> tuple[str, ...]:
        """The surveyed regions that offer it in some zone."""
        return _regions_of(self.zone_ids)

    def offered_in(self, region: str) -> bool | None:
        """Whether ``region`` offers it; None if the catalog does not know."""
        if self.own:
            return None
        if region in self.regions:
            return True
        return False if region in geography.surveyed_zones() else None

    def offered_in_zone(self, zone_id: str) -> bool | None:
        """Whether the zone offers it; None if the catalog does not know.

        Accepts zone ids (``use1-az6``) only: ``us-east-1a`` differs between accounts.
        """
        if self.own:
            return None
        if zone_id in self.zone_ids:
            return True
        region = geography.region_of_zone(zone_id)
        surveyed = geography.surveyed_zones().get(region or "", ())
        return False if zone_id in surveyed else None

    def _count(self, kind: str) -> int:
        found = self.accelerator
        return found.count if found is not None and found.kind == kind else 0


@functools.cache
def _regions_of(zone_ids: tuple[str, ...]) -> tuple[str, ...]:
    """The regions of zones, each once."""
    found = (geography.region_of_zone(zone) for zone in zone_ids)
    return tuple(dict.fromkeys(region for region in found if region))
