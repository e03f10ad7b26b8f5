"""An instance type as text and as JSON."""

import dataclasses
import json
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from clustergen.base.documents import picked
from clustergen.base.text_lists import words
from clustergen.facts.catalog import mig, prices, ultraservers
from clustergen.facts.catalog.instance import InstanceType, NetworkCard
from clustergen.facts.catalog.lookup import DATA

WIDTH = 100
_DERIVED = words("""
    family size max_interfaces efa efa_generation gpus neuron_devices memory_gib regions
""")
_LABEL = 16


def as_text(instance: InstanceType) -> str:
    """About twenty lines of at most 100 columns, without a final line end."""
    lines = [instance.name]
    for label, value in _entries(instance):
        if value:
            lines.extend(_wrapped(label, value))
    return "\n".join(lines)


def as_line(instance: InstanceType) -> str:
    """One line for a list: name, vCPUs, memory, accelerators, network, EFA."""
    efa = f"{instance.max_efa} EFA" if instance.efa else "no EFA"
    found = instance.accelerator
    accelerators = f"{found.count} x {found.name}" if found else ""
    return (
        f"{instance.name:<24}{instance.vcpus:>4} vCPU {instance.memory_gib:>7g} GiB  "
        f"{accelerators:<18}{instance.network_gbps:>6g} Gbit/s  {efa}"
    )


def as_json(instance: InstanceType) -> dict[str, Any]:
    """All fields and derived properties, for ``json.dumps``."""
    found = dataclasses.asdict(instance) | picked(instance, _DERIVED)
    return found | {"mig_profiles": [profile.name for profile in mig.profiles(instance)]}


def _entries(instance: InstanceType) -> Iterator[tuple[str, str]]:
    yield "processor", _processor(instance)
    yield "memory", f"{instance.memory_gib:g} GiB"
    yield "accelerators", _accelerators(instance)
    yield "MIG profiles", ", ".join(profile.name for profile in mig.profiles(instance))
    yield "network", _network(instance)
    yield "network cards", "; ".join(_cards(instance.cards))
    yield "EFA", _efa(instance)
    disks = instance.disk_count
    yield "local disks", f"{disks} x {instance.disk_gb} GB" if disks else "none"
    yield "sold as", ", ".join(instance.usage_classes)
    yield "price", _price(instance)
    yield "HyperPod", _hyperpod(instance)
    yield "UltraServer", _ultraserver(instance)
    yield "quota", _quota(instance)
    yield "placement", ", ".join(instance.placement)
    yield "boot", ", ".join(instance.boot_modes)
    yield "notes", _notes(instance)
    yield "zones", _zones(instance)
    yield "facts of", "a file of the project" if instance.own else _date("instance facts")


def _processor(instance: InstanceType) -> str:
    threads = f"{instance.cores} cores x {instance.threads_per_core} threads"
    one = ", threads can be set to 1" if 1 in instance.valid_threads_per_core[:-1] else ""
    return f"{instance.vcpus} vCPUs ({threads}), {instance.arch}{one}"


def _accelerators(instance: InstanceType) -> str:
    found = instance.accelerator
    if found is None:
        return ""
    each = f"{found.memory_mib / 1024:.4g} GiB each"
    return f"{found.count} x {found.manufacturer} {found.name}, {each} ({found.kind})"


def _network(instance: InstanceType) -> str:
    most = "up to " if instance.network_burst else ""
    addresses = f"{instance.ipv4_per_interface} IPv4 addresses each"
    interfaces = f"{instance.max_interfaces} interfaces, {addresses}"
    return f"{most}{instance.network_gbps:g} Gbit/s, {interfaces}"


def _cards(cards: Iterable[NetworkCard]) -> Iterator[str]:
    """Runs of equal cards: ``1-16: 4 of interface, efa, efa-only``."""
    for form, group in groupby(cards, key=lambda card: (card.max_interfaces, card.interface_types)):
        run = list(group)
        last = f"-{run[-1].index}" if len(run) > 1 else ""
        yield f"{run[0].index}{last}: {form[0]} of {', '.join(form[1])}"


def _efa(instance: InstanceType) -> str:
    if not instance.efa:
        return "no"
    generation = f" ({instance.efa_generation})" if instance.efa_generation else ""
    return f"{instance.max_efa} interfaces{generation}"


def _price(instance: InstanceType) -> str:
    found = prices.RECORDED.find(f"EC2 {instance.name}", "us-east-1")
    if found is None:
        return "not known"
    return f"{found.usd:g} USD per hour, On-Demand, Linux, us-east-1 ({found.source.date})"


def _hyperpod(instance: InstanceType) -> str:
    if instance.hyperpod is None:
        return "not known" if instance.own else "no"
    return instance.hyperpod + (", also by training plan" if instance.training_plan else "")


def _ultraserver(instance: InstanceType) -> str:
    servers = ultraservers.containing(instance.name)
    return ", ".join(f"{server.instances} in one {server.name}" for server in servers)


def _quota(instance: InstanceType) -> str:
    quota = instance.quota
    known = (("On-Demand", quota.on_demand), ("Spot", quota.spot))
    codes = ", ".join(f"{label} {code}" for label, code in known if code)
    return f"{quota.family}, in vCPUs" + (f": {codes}" if codes else "")


def _notes(instance: InstanceType) -> str:
    notes = (
        ("bare metal", instance.bare_metal),
        ("burstable", instance.burstable),
        ("previous generation", not instance.current_generation),
    )
    return ", ".join(text for text, holds in notes if holds)


def _zones(instance: InstanceType) -> str:
    none = "not known" if instance.own else "none in the regions the catalog covers"
    return " ".join(instance.zone_ids) or none


def _date(facts: str) -> str:
    """The date on which a group of facts was recorded."""
    provenance = json.loads((DATA / "provenance.json").read_text(encoding="ascii"))
    return str(provenance[facts]["date"])


def _wrapped(label: str, value: str) -> list[str]:
    return textwrap.wrap(
        value,
        WIDTH,
        initial_indent=f"  {label}".ljust(_LABEL),
        subsequent_indent=" " * _LABEL,
        break_on_hyphens=False,
    )
