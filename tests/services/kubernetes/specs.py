"""Specs that together reach every part of the software in a cluster; each shows its subject."""

_BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"
_GB200 = f"instance_type: p6e-gb200.36xlarge, count: 18, {_BLOCK}"
_THREE = """
  - {name: h200}
  - {name: h100, instance_type: p5.48xlarge, count: 4}
  - {name: prep, instance_type: m7i.4xlarge, count: 3}"""
_SPOT = "name: spot, instance_types: [g6e.12xlarge, g6.12xlarge], count: {max: 8}, capacity: spot"
_ONE_QUEUE = "queues: [{name: train, node_groups: [h200], priority: 7}]\n"
_P5 = "node_groups: [{name: h200, instance_type: p5.48xlarge}]\n"
_TOOLS = "storage: [{mount: /tools, type: efs}]\n"

STORAGE = """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500, efa: true}
  - {mount: /data-sets/x, type: fsx-lustre,
     existing: {id: fs-0a1b2c3d4e5f67890, mount_name: abcdefgh}}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}
  - {mount: /old, type: fsx-openzfs,
     existing: {id: fs-0a1b2c3d4e5f67891, volume_id: fsvol-0a1b2c3d4e5f67891}}
  - mount: /lab
    type: fsx-ontap
    existing:
      id: fs-0a1b2c3d4e5f67892
      dns_name: svm-0a1b2c3d4e5f67892.fs-0a1b2c3d4e5f67892.fsx.us-east-1.amazonaws.com
      volume_id: fsvol-0a1b2c3d4e5f67892
  - {mount: /cache, type: file-cache, existing: {id: fc-0a1b2c3d4e5f67893, mount_name: hgfedcba}}
  - {mount: /tools, type: efs}
  - {mount: /bucket, type: s3, bucket: "s3://example-corpus/raw", read_only: true}
  - {mount: /results, type: s3, bucket: "s3://example-results", read_only: false}
"""

SPECS = {
    "smallest": "",
    "queues that share groups, and one that does not": f"""
node_groups: {_THREE}
queues:
  - {{name: train, node_groups: [h200, h100], priority: 100}}
  - {{name: tune, node_groups: [h100], priority: 10}}
  - {{name: prep, node_groups: [prep]}}
""",
    "taints of the user's own": """node_groups:
  - {name: h200, taints: [{key: team, value: a, effect: NoExecute}, {key: nvidia.com/gpu}]}
""",
    "Karpenter, Spot and a reservation": f"""
kubernetes: {{autoscaler: karpenter, version: "1.34"}}
node_groups:
  - {{name: h200}}
  - {{{_SPOT}}}
  - {{name: held, instance_type: p5.48xlarge, count: {{max: 4}}, labels: {{team: a}},
     capacity: {{reservation: cr-0a1b2c3d4e5f67890}}, root_volume: {{size: 300GiB, iops: 6000}}}}
tags: {{team: research}}
""",
    "queues of Karpenter's nodes and others": f"""
kubernetes: {{autoscaler: karpenter}}
node_groups: {_THREE}
  - {{{_SPOT}}}
queues:
  - {{name: finetune, node_groups: [h200, spot]}}
  - {{name: train, node_groups: [h200]}}
  - {{name: rest, node_groups: [h100, prep]}}
""",
    "file systems of every kind": STORAGE,
    "TrainJob": "kubernetes: {jobs: kubeflow-trainer}" + STORAGE,
    "no operator, no queues": f"kubernetes: {{jobs: none, admission: none}}\n{_ONE_QUEUE}{_TOOLS}",
    "Volcano": f"kubernetes: {{scheduler: volcano, admission: none}}\n{_ONE_QUEUE}",
    "KAI": f"kubernetes: {{scheduler: kai, admission: none}}\n{_ONE_QUEUE}",
    "Volcano and Kueue": f"kubernetes: {{scheduler: volcano}}\n{_TOOLS}",
    "claims of devices": """
kubernetes: {devices: dra, jobs: kubeflow-trainer}
node_groups:
  - {name: h200}
  - {name: h100, instance_type: p5.48xlarge, count: 1}
  - {name: trn, instance_type: trn2.48xlarge, count: 2}
""",
    "Trainium": "node_groups: [{name: h200, instance_type: trn1.32xlarge}]",
    "partitions": """
node_groups:
  - {name: h200, efa: false, mig: {1g.18gb: 1, 2g.35gb: 1, 3g.71gb: 1}}
  - {name: h100, instance_type: p5.48xlarge, efa: false, count: 1,
     mig: {3g.40gb: 1, 1g.10gb+me: 1, 1g.10gb: 2}}
  - {name: whole, instance_type: p5.48xlarge, count: 1}
monitoring: {metrics: managed-prometheus}
""",
    "UltraServers": f"network: {{zone: use1-dfw2-az1}}\nnode_groups: [{{name: h200, {_GB200}}}]",
    "small nodes": """
node_groups: [{name: h200, instance_type: g5.2xlarge, count: 1}]
kubernetes: {system_nodes: {instance_type: m7i.large, count: 1}}
""",
    "HPC nodes": "node_groups: [{name: h200, instance_type: hpc7a.96xlarge, threads_per_core: 1}]",
    "GovCloud, East": f"region: us-gov-east-1\nnetwork: {{zone: usge1-az1}}\n{_P5}",
    "GovCloud": f"region: us-gov-west-1\nnetwork: {{zone: usgw1-az1}}\n{_P5}",
}
