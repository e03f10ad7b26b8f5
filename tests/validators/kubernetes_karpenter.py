"""Rules of Karpenter 1.14 that its definitions have only in words.

https://karpenter.sh/docs/concepts/nodeclasses/ and .../nodepools/ (2026-08)
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

_TAGS = ("karpenter.sh/nodepool", "kubernetes.io/cluster/", "eks:eks-cluster-name")


def violations(body: Json) -> Iterator[str]:
    """What these rules do not accept in an object; nothing without a rule for its kind."""
    if body.get("kind") == "EC2NodeClass":
        yield from _node_class(body["spec"])
    elif body.get("kind") == "NodePool":
        yield from _node_pool(body["spec"])


def _node_class(spec: Json) -> Iterator[str]:
    if ("role" in spec) == ("instanceProfile" in spec):
        yield "either role or instanceProfile"
    if not any("alias" in term for term in spec["amiSelectorTerms"]) and "amiFamily" not in spec:
        yield "amiFamily is needed without an alias"
    interfaces = spec.get("networkInterfaces")
    if interfaces is not None:
        yield from _interfaces(interfaces)
    if sum(bool(m.get("rootVolume")) for m in spec.get("blockDeviceMappings", ())) > 1:
        yield "more than one root volume"
    for tag in spec.get("tags", {}):
        if tag.startswith(_TAGS):
            yield f"the tag {tag} is Karpenter's own"


def _interfaces(interfaces: Sequence[Json]) -> Iterator[str]:
    places = [(one["networkCardIndex"], one["deviceIndex"]) for one in interfaces]
    if len(set(places)) != len(places):
        yield "two interfaces at one place"
    first = [one for one, place in zip(interfaces, places, strict=True) if place == (0, 0)]
    if [one["interfaceType"] for one in first] != ["interface"]:
        yield "the first is not an ordinary interface"
    cards = [one["networkCardIndex"] for one in interfaces if one["interfaceType"] == "efa-only"]
    if len(set(cards)) != len(cards):
        yield "two EFA interfaces on one card"


def _node_pool(spec: Json) -> Iterator[str]:
    template = spec["template"]["spec"]
    if template.get("expireAfter", "720h") != "Never":
        yield "nodes expire under jobs"
    disruption = spec.get("disruption", {})
    if disruption.get("consolidationPolicy") != "WhenEmpty":
        yield "nodes are consolidated under jobs"
    blocked = {
        reason
        for budget in disruption.get("budgets", ())
        if budget["nodes"] == "0"
        for reason in budget.get("reasons", ("Drifted", "Underutilized", "Empty"))
    }
    own = template["nodeClassRef"]["group"] == "karpenter.k8s.aws"
    if own and not {"Drifted", "Underutilized"} <= blocked:
        yield "nodes drift away under jobs"
    for requirement in template["requirements"]:
        if requirement["operator"] in ("In", "NotIn") and not requirement.get("values"):
            yield f"{requirement['key']}: no values"
