"""Kubeflow Trainer's models, and rules of Karpenter beside its definitions."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pydantic

Json = Mapping[str, Any]

_KARPENTER = {"EC2NodeClass": "karpenter.k8s.aws/v1", "NodePool": "karpenter.sh/v1"}


def model_violations(objects: Sequence[tuple[str, Json]]) -> list[str]:
    """Violations of named objects that a model is known of, as `name: message`."""
    return [
        *(f"{name}: {b}" for name, body in objects for b in _trained(body)),
        *(f"{name}: {b}" for name, body in objects for b in _rules(body)),
    ]


@functools.cache
def _trainer() -> Mapping[str, Any]:
    """Kubeflow's models by kind; they take a second to load."""
    from kubeflow_trainer_api import models

    return {
        "TrainJob": models.TrainerV1alpha1TrainJob,
        "TrainingRuntime": models.TrainerV1alpha1TrainingRuntime,
        "ClusterTrainingRuntime": models.TrainerV1alpha1ClusterTrainingRuntime,
    }


def _trained(body: Json) -> Iterator[str]:
    model = _trainer().get(str(body.get("kind")))
    if model is None:
        return
    if body["apiVersion"] != "trainer.kubeflow.org/v1alpha1":
        yield f"{body['apiVersion']} is no API of the trainer"
    try:
        read = model.from_dict(dict(body))
    except pydantic.ValidationError as error:
        yield from (f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        return
    # The models drop what they do not know.
    yield from _lost(body, read.to_dict() if read else {}, "")


def _lost(given: Any, read: Any, at: str) -> Iterator[str]:
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        for key, value in given.items():
            if key not in read and value not in (None, {}, []):
                yield f"there is no {at}{key}"
            elif key in read:
                yield from _lost(value, read[key], f"{at}{key}.")
    elif isinstance(given, list) and isinstance(read, list):
        for one, other in zip(given, read, strict=True):
            yield from _lost(one, other, at)


# Rules of Karpenter 1.14 that stand beside its schemas, in words:
# https://karpenter.sh/docs/concepts/nodeclasses/ and .../nodepools/ (2026-08)
_TAGS = ("karpenter.sh/nodepool", "kubernetes.io/cluster/", "eks:eks-cluster-name")


def _rules(body: Json) -> Iterator[str]:
    kind = str(body.get("kind"))
    if kind not in _KARPENTER:
        return
    if body["apiVersion"] != _KARPENTER[kind]:
        yield f"{body['apiVersion']} is not the API of {kind}"
    spec = body["spec"]
    yield from _node_class(spec) if kind == "EC2NodeClass" else _node_pool(spec)


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
    if not 1 <= spec.get("weight", 1) <= 100:
        yield "a weight beyond 1 to 100"
    for requirement in template["requirements"]:
        if requirement["operator"] in ("In", "NotIn") and not requirement.get("values"):
            yield f"{requirement['key']}: no values"
