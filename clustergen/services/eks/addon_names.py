"""The names of EKS add-ons, and of software that is none."""

import difflib

from clustergen.base.text_lists import word_set

SOURCE = "https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html"
# SOURCE and community-addons.html; 2026-11-20. Names of partners' add-ons are vendor_product.
_ADDONS = word_set("""
    vpc-cni coredns kube-proxy eks-pod-identity-agent
    aws-ebs-csi-driver aws-efs-csi-driver aws-fsx-csi-driver
    aws-mountpoint-s3-csi-driver snapshot-controller eks-node-monitoring-agent
    amazon-cloudwatch-observability adot aws-guardduty-agent
    aws-network-flow-monitoring-agent aws-secrets-store-csi-driver-provider
    amazon-sagemaker-hyperpod-taskgovernance amazon-sagemaker-hyperpod-observability
    amazon-sagemaker-hyperpod-training-operator amazon-sagemaker-hyperpod-inference
    amazon-sagemaker-spaces metrics-server kube-state-metrics
    prometheus-node-exporter cert-manager external-dns fluent-bit
    sriov-network-metrics-exporter aws-privateca-connector-for-kubernetes
""")
_CHARTS = word_set("""
    aws-efa-k8s-device-plugin aws-dranet nvidia-device-plugin gpu-operator
    dcgm-exporter neuron-device-plugin neuron-helm-chart kueue volcano
    kai-scheduler mpi-operator kubeflow-trainer training-operator kuberay
    jobset lws karpenter aws-load-balancer-controller kube-prometheus-stack
    cluster-autoscaler
""")
"""Software that is installed with a chart or manifests, not as an add-on."""

_ALMOST = 0.85
"""The similarity from which a name is taken for a misspelt one, such as vpc-cnii."""


def meant(name: str) -> tuple[str, str]:
    """What a name that is no add-on's calls for, and the add-on that it resembles, if any.

    Both are empty for any other name: it may be an add-on of a partner, or newer than the list.
    """
    if name in _ADDONS:
        return "", ""
    if name in _CHARTS:
        return "install its chart", ""
    names = sorted(_ADDONS)
    begun = [known for known in names if known.startswith(f"{name}-")]
    near = begun or difflib.get_close_matches(name, names, n=1, cutoff=_ALMOST)
    return (f"did you mean {near[0]}?", near[0]) if near else ("", "")
