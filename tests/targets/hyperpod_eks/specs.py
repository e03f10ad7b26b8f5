"""Specs that together reach every part of the target; each shows what it is about."""

_KARPENTER = "kubernetes: {autoscaler: karpenter}"
_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/large"
_VPC = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}
    - {id: subnet-0a1b2c3d4e5f67891, zone: use1-az4, cidr: 10.42.128.0/17}
  security_groups: [sg-0a1b2c3d4e5f67890]
"""

SPECS = {
    "smallest": "",
    "minimum": "node_groups: [{name: h200, count: {min: 2, max: 4}}]",
    "empty": "node_groups: [{name: h200, count: 0}]",
    "labels and taints": """
node_groups:
  - {name: h200, labels: {example.com/team: llm, stage: "2"}, taints: [{key: training},
     {key: example.com/gpu, value: h200, effect: NoExecute}]}
tags: {team: research}
""",
    "partitions": """
node_groups:
  - {name: h200, mig: {1g.18gb: 1, 2g.35gb: 1, 3g.71gb: 1}}
  - {name: h100, instance_type: p5.48xlarge, count: 1, mig: {3g.40gb: 2}}
""",
    "training plan": f"node_groups: [{{name: h200, capacity: {{training_plan: '{_PLAN}'}}}}]",
    "UltraServers": f"""
node_groups:
  - {{name: h200, instance_type: p6e-gb200.36xlarge, count: 18,
     capacity: {{training_plan: '{_PLAN}'}}}}
""",
    "Spot beside On-Demand, scaled": f"""
{_KARPENTER}
node_groups:
  - {{name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge],
     count: {{max: 8}}, capacity: spot, taints: [{{key: training, value: x}}]}}
  - {{name: fallback, instance_type: g6e.12xlarge, count: {{max: 2}},
     taints: [{{key: training, value: x}}]}}
  - {{name: system, instance_type: m7i.2xlarge, count: 2}}
queues: [{{name: tune, node_groups: [h200, fallback]}}]
""",
    "deep health checks": """
node_groups:
  - {name: h200, health_checks: [gpu, instance-stress, instance-connectivity, multi-node]}
resilience: {replace_failed_nodes: false, auto_resume: true}
""",
    "two zones": f"{_VPC}node_groups: [{{name: h200}}, "
    "{name: system, instance_type: m7i.2xlarge, count: 2}]",
    "Trainium": "node_groups: [{name: h200, instance_type: trn1.32xlarge}]",
    "file systems": """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500, efa: true}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}
""",
    "scripts of the user's": """
software:
  scripts:
    - {run: "s3://my-bucket/it's.sh", args: [$(reboot)], on: [compute]}
    - {run: s3://my-bucket/b.sh, node_groups: [h200]}
""",
    "image, size, threads and interfaces": """
node_groups:
  - {name: h200, image: ami-0a1b2c3d4e5f67890, root_volume: {size: 1024GiB}, threads_per_core: 1,
     efa_layout: efa-only}
""",
    "patches by themselves": """
targets:
  hyperpod-eks:
    tiered_checkpoints: 20
    auto_patching: {strategy: when-idle}
    update_schedule: cron(0 3 ? * SUN *)
""",
    "idle nodes are waited for": """
targets: {hyperpod-eks: {auto_patching: {strategy: when-all-idle, idle_wait: 25d}}}
""",
    "batches are drained": """
targets:
  hyperpod-eks:
    auto_patching: {strategy: drain-first, batch: 10%, pause: 5m, drain_timeout: 30m,
      on_drain_timeout: force, rollback_alarms: [jobs failing]}
""",
    "one is drained": """
targets: {hyperpod-eks: {auto_patching: {strategy: drain-first, batch: 1}}}
""",
    "opened to the control plane": """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}]
targets: {hyperpod-eks: {eks_security_group: sg-0a1b2c3d4e5f67891}}
""",
    "overlay": """
targets:
  hyperpod-eks:
    overlay: {TieredStorageConfig: {Mode: Enable, InstanceMemoryAllocationPercentage: 20}}
""",
}
