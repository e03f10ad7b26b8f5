"""Kubernetes: nodes and pods by kube-state-metrics, queues by Kueue, capacity by Karpenter.

https://github.com/kubernetes/kube-state-metrics/tree/main/docs/metrics
https://kueue.sigs.k8s.io/docs/reference/metrics/
https://karpenter.sh/docs/reference/metrics/
"""

from __future__ import annotations

from clustergen.monitoring.alert import UNTIMED, Alert, RuleGroup
from clustergen.monitoring.sources import Source

KUBERNETES = frozenset({Source.KUBERNETES})
_CORDONED = "max by (cluster, node) (kube_node_spec_unschedulable{$scope}) == 1"
_CONDITION = "max by (cluster, node) (kube_node_status_condition{$scope,"


def _devices(which: str, resource: str) -> str:
    return f'max by (cluster, node) (kube_node_status_{which}{{$scope,resource="{resource}"}})'


_NODES = (
    Alert(
        "KubernetesNodeNotReady",
        "page",
        "replace",
        # Nodes that stop on schedule are cordoned first; KubernetesNodeCordoned covers the others.
        f'{_CONDITION}condition="Ready",status="true"}}) == 0\n'
        f"unless on (cluster, node) {_CORDONED}",
        "{{ $labels.node }} is not ready",
        "The kubelet of the node does not report, or reports that it cannot run pods.",
        ("`kubectl describe node NODE` has the conditions and events",),
        after="5m",
        needs=KUBERNETES,
    ),
    Alert(
        "KubernetesNodePressure",
        "ticket",
        "watch",
        "max by (cluster, node, condition) (kube_node_status_condition{$scope,"
        'condition=~"DiskPressure|MemoryPressure|PIDPressure",status="true"}) == 1',
        "{{ $labels.node }} has {{ $labels.condition }}",
        "The kubelet evicts pods to get disk space, memory or process ids back.",
        ("`kubectl get events -A --field-selector reason=Evicted`",),
        after="10m",
        needs=KUBERNETES,
    ),
    # Conditions of the node monitoring agent: https://docs.aws.amazon.com/eks/latest/userguide/node-health.html
    Alert(
        "KubernetesAcceleratorFaulty",
        "page",
        "replace",
        f'{_CONDITION}condition="AcceleratedHardwareReady",status="false"}}) == 1',
        "The node monitoring agent found a faulty accelerator on {{ $labels.node }}",
        "A GPU or Neuron device of the node is faulty. Node repair, if it is on, replaces it.",
        ("`kubectl describe node NODE`: the condition has the reason",),
        after="10m",
        needs=KUBERNETES,
    ),
    Alert(
        "KubernetesGpusUnhealthy",
        "page",
        "replace",
        f"{_devices('capacity', 'nvidia_com_gpu')}\n"
        f"- on (cluster, node) {_devices('allocatable', 'nvidia_com_gpu')} > 0",
        "{{ $value }} GPU(s) of {{ $labels.node }} are unhealthy",
        "The device plugin gives fewer GPUs to pods than the node has.",
        ("the log of the device plugin's pod on the node names the Xid",),
        after="5m",
        needs=frozenset({Source.KUBERNETES, Source.GPU}),
    ),
    Alert(
        "KubernetesNodeCordoned",
        "ticket",
        "replace",
        _CORDONED,
        "{{ $labels.node }} has been cordoned for an hour",
        "The node takes no pods until someone repairs or uncordons it, and is paid for.",
        ("`kubectl describe node NODE`: annotations and events show by whom",),
        after="1h",
        needs=KUBERNETES,
    ),
)
_PODS = (
    Alert(
        "KubernetesJobFailed",
        "ticket",
        "job",
        "sum by (cluster, namespace, job_name) (kube_job_status_failed{$scope}) > 0\n"
        "unless on (cluster, namespace, job_name)\n"
        "  sum by (cluster, namespace, job_name) (kube_job_status_succeeded{$scope}) > 0",
        "Job {{ $labels.namespace }}/{{ $labels.job_name }} failed",
        "Pods of a job failed.",
        ("`kubectl logs -n NAMESPACE job/NAME --all-containers`",),
        after="5m",
        needs=KUBERNETES,
    ),
    Alert(
        "KubernetesPodsRestart",
        "ticket",
        "watch",
        "sum by (cluster, namespace, pod) "
        "(increase(kube_pod_container_status_restarts_total{$scope}[30m])) > 5",
        "{{ $labels.namespace }}/{{ $labels.pod }} restarts again and again",
        "A container ends soon after it starts.",
        ("`kubectl logs -n NAMESPACE POD --previous`",),
        needs=KUBERNETES,
    ),
    Alert(
        "KubernetesPodsWaitBesideIdleGpus",
        "ticket",
        "watch",
        'sum by (cluster) (kube_pod_status_phase{$scope,phase="Pending"}) > 0\n'
        "and on (cluster) 1 - (\n"
        "  sum by (cluster) "
        '(kube_pod_container_resource_requests{$scope,resource="nvidia_com_gpu"})\n'
        '  / sum by (cluster) (kube_node_status_allocatable{$scope,resource="nvidia_com_gpu"})\n'
        ") > 0.25",
        "Pods of {{ $labels.cluster }} wait while a quarter of its GPUs is idle",
        "Pods are pending although GPUs are free: they ask for what no node has left.",
        ("`kubectl get events -A --field-selector reason=FailedScheduling`",),
        after="30m",
        needs=frozenset({Source.KUBERNETES, Source.GPU}),
    ),
)
_QUEUES = (
    Alert(
        "KueueWorkloadsWait",
        "ticket",
        "watch",
        # All workloads of a queue that is held, as the timetable does, are inadmissible.
        'sum by (cluster, cluster_queue) (kueue_pending_workloads{$scope,status="inadmissible"}) '
        "> 0\n"
        "and on (cluster, cluster_queue) max by (cluster, cluster_queue) "
        '(kueue_cluster_queue_status{$scope,status="active"}) == 1',
        "{{ $value }} workload(s) of {{ $labels.cluster_queue }} cannot be admitted",
        "Workloads do not fit into the quota of their queue, or ask for a flavor that it lacks.",
        ("`kubectl describe workload -n NAMESPACE NAME`: its conditions say what is missing",),
        after="1h",
        needs=frozenset({Source.KUEUE}),
    ),
    Alert(
        "KueueQueueInactive",
        "ticket",
        "watch",
        "max by (cluster, cluster_queue) "
        f'(kueue_cluster_queue_status{{$scope,status="pending"{UNTIMED}}}) == 1',
        "The queue {{ $labels.cluster_queue }} admits no workload",
        "The cluster queue is not active: it is held, or a flavor, a topology or an admission "
        "check that it names is missing. Queues that the timetable of the cluster holds do not "
        "count.",
        ("`kubectl describe clusterqueue NAME`: the condition Active has the reason",),
        after="1h",
        needs=frozenset({Source.KUEUE}),
    ),
    Alert(
        "KueueEvictions",
        "ticket",
        "job",
        "sum by (cluster, cluster_queue, reason) "
        '(increase(kueue_evicted_workloads_total{$scope,reason!="Preempted"}[1h])) > 5',
        "Kueue evicted {{ $value | humanize }} workloads of {{ $labels.cluster_queue }}: "
        "{{ $labels.reason }}",
        "Workloads were admitted and evicted again, mostly because their pods did not become "
        "ready in time.",
        ("whether nodes for them start: the events of their pods",),
        needs=frozenset({Source.KUEUE}),
    ),
    Alert(
        "KarpenterLaunchesFail",
        "ticket",
        "capacity",
        "sum by (cluster) "
        "(increase(karpenter_cloudprovider_instance_launch_failures_total{$scope}[15m])) > 5",
        "Karpenter cannot launch nodes",
        "EC2 does not launch instances: no capacity, a limit, or a permission.",
        ("`kubectl get events -A --field-selector source=karpenter`",),
        after="15m",
        needs=frozenset({Source.KARPENTER}),
    ),
    Alert(
        "KarpenterInterruptions",
        "ticket",
        "capacity",
        "sum by (cluster, message_type) (increase("
        'karpenter_interruption_received_messages_total{$scope,message_type!="no_op"}[15m])) > 0',
        "EC2 announced {{ $labels.message_type }} for nodes of {{ $labels.cluster }}",
        "EC2 takes nodes back, or maintains their hardware. Karpenter drains them.",
        ("jobs on these nodes should write a checkpoint",),
        needs=frozenset({Source.KARPENTER}),
    ),
)

GROUP = RuleGroup("kubernetes", "60s", (*_NODES, *_PODS, *_QUEUES))
