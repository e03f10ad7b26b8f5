"""Runbook entries for Kubernetes."""

from __future__ import annotations

from typing import Final

from clustergen.plan.model import Plan

LOGS: Final = (
    "`kubectl logs` and `kubectl describe pod` for what runs, `kubectl get events -A "
    "--sort-by=.lastTimestamp` for why something does not"
)
DRAIN: Final = (
    "`kubectl cordon NODE` keeps new pods off the node, `kubectl drain NODE --ignore-daemonsets "
    "--delete-emptydir-data` also evicts running pods; `kubectl uncordon NODE` makes it "
    "schedulable again"
)
USERS: Final = (
    "name their IAM role in `kubernetes.access` with the queues that they use, or in "
    "`kubernetes.admins` for the whole cluster, and deploy again; the role itself needs "
    "`eks:DescribeCluster` for `aws eks update-kubeconfig`"
)
USERS_OF_OTHERS: Final = (
    "the owner of the cluster gives their IAM role an access entry, and a role in the namespaces "
    "of their queues; the role itself needs `eks:DescribeCluster` for `aws eks update-kubeconfig`"
)


def remains(plan: Plan) -> str:
    """Remaining resources of a new cluster: what Kubernetes made in the account.

    https://docs.aws.amazon.com/eks/latest/userguide/delete-cluster.html and, for the tag,
    https://github.com/kubernetes/cloud-provider-aws/blob/master/pkg/providers/v1/tags.go (2026-11)
    """
    return (
        "the EBS volumes of claims that were not deleted before the cluster: `aws ec2 "
        f"describe-volumes --region {plan.region} --filters "
        "Name=tag-key,Values=kubernetes.io/created-for/pvc/name` lists them; and the load "
        "balancers of Services that were not deleted before it, with their security groups, "
        "which keep its subnets and VPC from deletion: `aws resourcegroupstaggingapi "
        "get-resources --region "
        f"{plan.region} --resource-type-filters elasticloadbalancing ec2:security-group "
        f"--tag-filters Key=kubernetes.io/cluster/{plan.name},Values=owned` lists them"
    )
