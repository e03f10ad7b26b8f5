"""Sizes of volume claims: Kubernetes enlarges a claim where its storage class allows it."""

from collections.abc import Collection, Iterable
from decimal import Decimal

from clustergen.base.artifacts import Json
from clustergen.base.patterns import pattern
from clustergen.services.fields import value_at

SOURCE = (
    "https://kubernetes.io/docs/concepts/storage/persistent-volumes/"
    "#expanding-persistent-volumes-claims"
)
REQUESTS = "spec.resources.requests"
_QUANTITY = pattern(r"(\d+(?:\.\d+)?)([KMGTPE]i?|k|m)?")
_UNITS = "KMGTPE"


def growing(objects: Iterable[Json]) -> Collection[str]:
    """The storage classes among ``objects`` whose volumes can be enlarged."""
    return {
        str(value_at(each, "metadata.name"))
        for each in objects
        if each.get("kind") == "StorageClass" and each.get("allowVolumeExpansion")
    }


def rejection(old: Json, new: Json, classes: Collection[str]) -> str:
    """Why the new size of a claim is rejected; empty if it is not."""
    path = f"{REQUESTS}.storage"
    before, after = value_at(old, path), value_at(new, path)
    if new.get("kind") != "PersistentVolumeClaim" or before == after:
        return ""
    if _bytes(after) < _bytes(before):
        return f"cannot shrink from {before} to {after}"
    if value_at(new, "spec.storageClassName") in classes:
        return ""
    return "cannot grow: its storage class does not allow it"


def _bytes(quantity: object) -> Decimal:
    found = _QUANTITY.fullmatch(str(quantity))
    if found is None:
        return Decimal(0)
    unit = found[2] or ""
    if unit == "m":
        return Decimal(found[1]) / 1000
    power = _UNITS.find(unit[:1].upper()) + 1 if unit else 0
    return Decimal(found[1]) * (Decimal(1024) if unit.endswith("i") else Decimal(1000)) ** power
