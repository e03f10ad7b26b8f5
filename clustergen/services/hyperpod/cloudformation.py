"""A CreateCluster request as a CloudFormation template; the members have the same names.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sagemaker-cluster.html
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.documents import change_texts
from clustergen.base.findings import Path
from clustergen.base.patterns import pattern
from clustergen.services.aws import cfn

TEMPLATE = "cluster.template.json"
CLUSTER = "Cluster"

# cfn-lint 1.58.0, schema of AWS::SageMaker::Cluster (2026-10-20), against botocore 1.44.5.
API_ONLY_MEMBERS = {
    "IdleWaitWindowInSeconds": "how long a node has to be idle before it is patched",
    "DrainPolicy": "how nodes are drained before they are patched",
    "NextPatchDate": "the date of the next patch",
}
API_ONLY_OF_RESTRICTED_GROUPS = {"ScheduledUpdateConfig": "scheduled updates"}
API_ONLY_VALUES = {
    "DrainFirst": "the patching strategy DrainFirst",
    "MultiNodeTrainingValidation": "the deep health check over several nodes",
}
# CloudFormation requires the strategy; without it, members that depend on it are omitted too.
_NOTHING_WITHOUT = {"AutoPatchConfig": "PatchingStrategy"}

_PLACEHOLDER = pattern(r"\$\{([A-Z][A-Za-z0-9]*)\}")


def template(document: Mapping[str, Any], outputs: Mapping[str, str]) -> Json:
    """``document`` as a template; each placeholder becomes a parameter of the same name.

    ``outputs`` maps the foundation's output names to their descriptions. Members that
    CloudFormation does not support (:func:`lacking`) are omitted.
    """
    properties = change_texts(_without(document), lambda text: _text(text, outputs))
    parameters = {**cfn.parameters(properties, outputs), **_counts(properties)}
    return cfn.template(
        f"SageMaker HyperPod cluster {document.get('ClusterName', '')}".strip(),
        {CLUSTER: {"Type": "AWS::SageMaker::Cluster", "Properties": properties}},
        parameters=parameters,
        outputs={"ClusterArn": ("ARN of the cluster", cfn.get_att(CLUSTER, "ClusterArn"))},
    )


def _counts(properties: Json) -> Json:
    """Replace the counts of groups that Karpenter scales by parameters.

    A fixed 0 would terminate the nodes of all jobs at the next change of the template.
    """
    if (properties.get("AutoScaling") or {}).get("Mode") != "Enable":
        return {}
    found = {}
    for group in properties.get("InstanceGroups") or []:
        if group.get("InstanceCount") == 0:
            name = cfn.logical_id("nodes", "of", str(group["InstanceGroupName"]))
            group["InstanceCount"] = cfn.ref(name)
            found[name] = {
                "Type": "Number",
                "MinValue": 0,
                "Description": f"Nodes of {group['InstanceGroupName']}, which Karpenter scales: 0 "
                "for a new cluster, and with every update the TargetCount of the group in aws "
                "sagemaker describe-cluster, or the update ends nodes that run jobs",
            }
    return found


def lacking(
    document: Any, path: Path = (), *, restricted: bool = False
) -> Iterator[tuple[Path, str]]:
    """Paths in ``document`` that only the API accepts, with descriptions."""
    if isinstance(document, Mapping):
        for name, value in document.items():
            within = restricted or name == "RestrictedInstanceGroups"
            if what := _only_of_the_api(name, within):
                yield (*path, name), what
            else:
                yield from lacking(value, (*path, name), restricted=within)
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from lacking(value, (*path, index), restricted=restricted)
    elif isinstance(document, str) and document in API_ONLY_VALUES and path:
        yield path, API_ONLY_VALUES[document]


def _only_of_the_api(name: str, restricted: bool) -> str | None:
    if restricted and name in API_ONLY_OF_RESTRICTED_GROUPS:
        return API_ONLY_OF_RESTRICTED_GROUPS[name]
    return API_ONLY_MEMBERS.get(name)


def _without(value: Any, restricted: bool = False) -> Any:
    """``value`` without members that only the API accepts, and without emptied parents."""
    if isinstance(value, list):
        return [
            kept
            for item in value
            if not (isinstance(item, str) and item in API_ONLY_VALUES)
            for kept in [_without(item, restricted)]
        ]
    if not isinstance(value, Mapping):
        return value
    kept = {}
    for name, inner in value.items():
        within = restricted or name == "RestrictedInstanceGroups"
        if _only_of_the_api(name, within) or (
            isinstance(inner, str) and inner in API_ONLY_VALUES and name == "PatchingStrategy"
        ):
            continue
        rest = _without(inner, within)
        # An empty object such as Spot: {} has a meaning; one that became empty here does not.
        if rest in ({}, []) and inner not in ({}, []):
            continue
        if name in _NOTHING_WITHOUT and _NOTHING_WITHOUT[name] not in rest:
            continue
        kept[name] = rest
    return kept


def _text(text: str, outputs: Mapping[str, str]) -> Any:
    """Text with placeholders: a Ref for a single placeholder, otherwise Fn::Sub."""
    if (whole := _PLACEHOLDER.fullmatch(text)) and whole[1] in outputs:
        return cfn.ref(whole[1])
    if not any(name in outputs for name in _PLACEHOLDER.findall(text)):
        return text
    # Other text of this form stays unchanged.
    literal = re.sub(r"\$\{(?!(?:" + "|".join(map(re.escape, outputs)) + r")\})", "${!", text)
    return cfn.sub(literal)
