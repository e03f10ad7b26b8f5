"""Kubernetes: nodes, pods, Kueue and Karpenter."""

from __future__ import annotations

from clustergen.monitoring.panels import Board, Row, graph
from clustergen.monitoring.sources import Source

GPU = frozenset({Source.GPU})
KUEUE = frozenset({Source.KUEUE})
KARPENTER = frozenset({Source.KARPENTER})
_GPUS = 'resource="nvidia_com_gpu"'

BOARD = Board(
    "clustergen-kubernetes",
    "Kubernetes",
    (
        Row(
            "Nodes",
            (
                graph(
                    "Nodes by condition",
                    "short",
                    (
                        'sum by (condition) (kube_node_status_condition{$scope,status="true"})',
                        "{{condition}}",
                    ),
                ),
                graph(
                    "Nodes that take no pods",
                    "short",
                    ("sum(kube_node_spec_unschedulable{$scope})", "cordoned"),
                ),
                graph(
                    "GPUs: of the nodes, given to pods",
                    "short",
                    (f"sum(kube_node_status_capacity{{$scope,{_GPUS}}})", "of the nodes"),
                    (f"sum(kube_node_status_allocatable{{$scope,{_GPUS}}})", "healthy"),
                    (
                        f"sum(kube_pod_container_resource_requests{{$scope,{_GPUS}}})",
                        "given to pods",
                    ),
                    needs=GPU,
                ),
            ),
        ),
        Row(
            "Pods",
            (
                graph(
                    "Pods by phase",
                    "short",
                    ("sum by (phase) (kube_pod_status_phase{$scope})", "{{phase}}"),
                ),
                graph(
                    "Restarts in an hour",
                    "short",
                    (
                        "sum by (namespace) "
                        "(increase(kube_pod_container_status_restarts_total{$scope}[1h]))",
                        "{{namespace}}",
                    ),
                ),
                graph(
                    "Failed jobs",
                    "short",
                    ("sum by (namespace) (kube_job_status_failed{$scope})", "{{namespace}}"),
                ),
            ),
        ),
        Row(
            "Kueue",
            (
                graph(
                    "Workloads that wait",
                    "short",
                    (
                        "sum by (cluster_queue, status) (kueue_pending_workloads{$scope})",
                        "{{cluster_queue}}, {{status}}",
                    ),
                    needs=KUEUE,
                ),
                graph(
                    "Workloads that run",
                    "short",
                    (
                        "sum by (cluster_queue) (kueue_admitted_active_workloads{$scope})",
                        "{{cluster_queue}}",
                    ),
                    needs=KUEUE,
                ),
                graph(
                    "Time until admission, 90th percentile",
                    "s",
                    (
                        "histogram_quantile(0.9, sum by (cluster_queue, le) "
                        "(increase(kueue_admission_wait_time_seconds_bucket{$scope}[1h])))",
                        "{{cluster_queue}}",
                    ),
                    needs=KUEUE,
                ),
                graph(
                    "Evicted workloads in an hour",
                    "short",
                    (
                        "sum by (cluster_queue, reason) "
                        "(increase(kueue_evicted_workloads_total{$scope}[1h]))",
                        "{{cluster_queue}}: {{reason}}",
                    ),
                    needs=KUEUE,
                    healthy_empty=True,
                ),
            ),
        ),
        Row(
            "Karpenter",
            (
                graph(
                    "Nodes created and ended in an hour",
                    "short",
                    (
                        "sum by (nodepool) "
                        "(increase(karpenter_nodeclaims_created_total{$scope}[1h]))",
                        "created, {{nodepool}}",
                    ),
                    (
                        "sum by (nodepool) "
                        "(increase(karpenter_nodeclaims_terminated_total{$scope}[1h]))",
                        "ended, {{nodepool}}",
                    ),
                    needs=KARPENTER,
                ),
                graph(
                    "Launches that failed in an hour",
                    "short",
                    (
                        "sum(increase("
                        "karpenter_cloudprovider_instance_launch_failures_total{$scope}[1h]))",
                        "failed",
                    ),
                    needs=KARPENTER,
                    healthy_empty=True,
                ),
            ),
        ),
    ),
    needs=frozenset({Source.KUBERNETES}),
)
