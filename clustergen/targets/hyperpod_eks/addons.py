"""HyperPod's add-ons for a new EKS cluster, as a stack: they need nodes, so it is deployed later.

https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
"""

import json
from collections.abc import Iterator
from typing import Any

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.text_lists import words
from clustergen.plan.model import Id, Plan
from clustergen.services import foundation
from clustergen.services.aws import cfn, iam, marks, prometheus
from clustergen.services.monitoring import names
from clustergen.targets.hyperpod_eks import eks_cluster
from clustergen.targets.hyperpod_eks.governance import TASK_GOVERNANCE

TEMPLATE = "addons.template.json"
OBSERVABILITY = names.ADD_ON
TRAINING_OPERATOR = "amazon-sagemaker-hyperpod-training-operator"
CERT_MANAGER = "cert-manager"

_CLUSTER = "EksClusterName"
# BASIC has no errors of memory and NVLink, and not what heat and power cost.
# https://docs.aws.amazon.com/sagemaker/latest/dg/hyperpod-observability-cluster-metrics.html
_LEVELS = {"acceleratedComputeMetrics": "ADVANCED"}
# Without the tag, AWS's managed policies for administrators do not let them see the add-ons.
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSageMakerHyperPodObservabilityAdminAccess.html
_TAG = {"SageMaker": "true"}


def files(plan: Plan) -> Iterator[Artifact]:
    """The template, if the EKS cluster is new and the spec needs an add-on."""
    if plan.options.creates_eks and (made := _resources(plan)):
        yield marks.artifact(TEMPLATE, _template(plan, made), plan)


def _template(plan: Plan, resources: Json) -> Json:
    known = {**foundation.outputs(plan), **eks_cluster.OUTPUTS}
    parameters = cfn.parameters(resources, known)
    return cfn.template(marks.descriptions(plan)["addons"], resources, parameters=parameters)


def _resources(plan: Plan) -> Json:
    made: Json = {}
    if plan.kubernetes.admission == "kueue":
        made["TaskGovernance"] = _addon(plan, TASK_GOVERNANCE)
    if plan.kubernetes.jobs != "none":
        made |= _training_operator(plan)
    if plan.monitoring.workspace is not None:
        made |= _observability(plan, plan.monitoring.workspace)
    return made


def _addon(plan: Plan, name: str, after: tuple[str, ...] = (), **more: Any) -> Json:
    properties = {
        "AddonName": name,
        "ClusterName": cfn.ref(_CLUSTER),
        "ResolveConflicts": "OVERWRITE",
        **more,
        "Tags": cfn.tags({**_TAG, **plan.tags}),
    }
    return cfn.resource("AWS::EKS::Addon", properties, after)


def _training_operator(plan: Plan) -> Json:
    """The operator of HyperPodPyTorchJob.

    Its association is a separate resource: the add-on rejects one in its properties.
    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-eks-operator-install.html
    """
    access = iam.managed("AmazonSageMakerHyperPodTrainingOperatorAccess")
    association = {
        "ClusterName": cfn.ref(_CLUSTER),
        "Namespace": "aws-hyperpod",
        "ServiceAccount": "hp-training-operator-controller-manager",
        "RoleArn": cfn.get_att("TrainingOperatorRole", "Arn"),
        "Tags": cfn.tags({**_TAG, **plan.tags}),
    }
    return {
        "CertManager": _addon(plan, CERT_MANAGER),
        "TrainingOperatorRole": _role(plan, "training-operator", {"ManagedPolicyArns": [access]}),
        "TrainingOperatorIdentity": cfn.resource("AWS::EKS::PodIdentityAssociation", association),
        "TrainingOperator": _addon(
            plan, TRAINING_OPERATOR, ("CertManager", "TrainingOperatorIdentity")
        ),
    }


def _observability(plan: Plan, workspace: Id) -> Json:
    """Metrics of nodes, accelerators and jobs, for the foundation's workspace.

    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-observability-addon.html
    """
    statements = _metrics_statements(workspace)
    policy = {"PolicyName": "metrics", "PolicyDocument": iam.document(statements)}
    identity = {
        "ServiceAccount": "hyperpod-observability-operator-otel-collector",
        "RoleArn": cfn.get_att("ObservabilityRole", "Arn"),
    }
    return {
        "ObservabilityRole": _role(plan, "observability", {"Policies": [policy]}),
        "Observability": _addon(
            plan,
            OBSERVABILITY,
            ConfigurationValues=_observability_values(plan, workspace),
            PodIdentityAssociations=[identity],
        ),
    }


def _observability_values(plan: Plan, workspace: Id) -> Json:
    levels = {
        "trainingMetrics": True,
        "inferenceMetrics": False,
        "taskGovernanceMetrics": plan.kubernetes.admission == "kueue",
        "scalingMetrics": plan.kubernetes.autoscaler == "karpenter",
        "customMetrics": True,
        "nodeMetrics": True,
        "acceleratedComputeMetrics": any(type.accelerator for type in plan.instance_types),
        "networkMetrics": any(group.efa for group in plan.node_groups),
    }
    seconds = plan.monitoring.interval_seconds
    interval = {"scrapeInterval": seconds} if plan.wrote("monitoring", "interval") else {}
    values = {
        "ampWorkspace": {"prometheusEndpoint": prometheus.ENDPOINT, "arn": prometheus.ARN},
        "metricsProvider": {
            name: {"level": _LEVELS.get(name, "BASIC"), **interval}
            if wanted
            else {"level": "DISABLED"}
            for name, wanted in levels.items()
        },
        "logging": {"enabled": False},
    }
    return cfn.sub(json.dumps(values), Workspace=cfn.value(workspace))


def _metrics_statements(workspace: Id) -> list[Json]:
    """https://docs.aws.amazon.com/sagemaker/latest/dg/hyperpod-observability-addon-troubleshooting.html"""
    group = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:"
    groups = f"{group}/aws/sagemaker/Clusters/*"
    logs = iam.actions(
        "logs",
        *words("""
            CreateLogGroup CreateLogStream DescribeLogStreams
            PutLogEvents GetLogEvents FilterLogEvents
        """),
    )
    return [
        iam.allow("Metrics", ["aps:RemoteWrite"], [prometheus.arn(workspace)]),
        iam.allow("Logs", logs, [cfn.sub(groups), cfn.sub(f"{groups}:log-stream:*")]),
    ]


def _role(plan: Plan, name: str, permissions: Json) -> Json:
    """A role that only pods of this EKS cluster can assume through pod identity."""
    cluster = "arn:${AWS::Partition}:eks:${AWS::Region}:${AWS::AccountId}:cluster/${EksClusterName}"
    own = {"aws:SourceAccount": cfn.ref("AWS::AccountId"), "aws:SourceArn": cfn.sub(cluster)}
    trust = iam.trust("pods.eks", ["sts:AssumeRole", "sts:TagSession"], iam.equal(own))
    return iam.role(
        plan,
        {
            "AssumeRolePolicyDocument": trust,
            **permissions,
            "Tags": cfn.tags(plan.tags, Name=f"{plan.name}-{name}"),
        },
    )
