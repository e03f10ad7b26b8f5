"""Specs that together reach every part of the PCS target; each shows what it is about."""

_BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"

SPECS = {
    "smallest": "",
    "several sizes of node groups": """
node_groups:
  - {name: h200, count: 16}
  - {name: cpu, instance_type: hpc7a.96xlarge, count: {min: 0, max: 64}}
login: {instance_type: m7i.xlarge, count: 2}
network: {ssh_from: [203.0.113.0/24]}
tags: {team: research}
""",
    "capacity block": f"node_groups: [{{name: h200, count: 16, {_BLOCK}}}]",
    "p5e, sold in blocks only": f"""
node_groups: [{{name: h200, instance_type: p5e.48xlarge, {_BLOCK}}}]
""",
    "reservation": "node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]",
    "group of reservations": """
node_groups:
  - {name: h200,
     capacity: {reservation_group: "arn:aws:resource-groups:us-east-1:123456789012:group/training"}}
""",
    "interruptible reservation": """
node_groups:
  - {name: h200, count: {min: 0, max: 2},
     capacity: {interruptible_reservation: cr-0a1b2c3d4e5f67890}}
""",
    "Spot with several types": """
node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.8xlarge, g6.8xlarge], efa: false,
     count: {min: 0, max: 8}, capacity: spot}
""",
    "p6-b300, whose first card has no EFA": """
node_groups: [{name: b300, instance_type: p6-b300.48xlarge, count: 2}]
""",
    "hpc6id, one interface a card": """
region: us-east-2
network: {zone: use2-az2}
node_groups: [{name: h200, instance_type: hpc6id.32xlarge, count: 2}]
""",
    "efa-only": "node_groups: [{name: h200, efa_layout: efa-only}]",
    "arm64 beside x86_64": """
node_groups: [{name: h200, count: 2}, {name: graviton, instance_type: hpc7g.16xlarge, count: 4}]
""",
    "UltraServer": f"""
node_groups:
  - {{name: gb200, instance_type: p6e-gb200.36xlarge, count: 18, {_BLOCK}}}
queues:
  - {{name: train, node_groups: [h200]}}
  - {{name: ultra, node_groups: [gb200], exclusive: true}}
""",
    "MIG": """
node_groups: [{name: h200, count: 2, mig: {1g.18gb: 2, 2g.35gb: 2}}]
slurm: {version: "26.05"}
""",
    "all kinds of storage": """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}
  - {mount: /shared, type: efs}
  - {mount: /old, type: fsx-lustre, existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}
  - {mount: /projects, type: fsx-ontap, existing: {id: fs-0123456789abcdef1,
     dns_name: svm-0123456789abcdef0.fs-0123456789abcdef1.fsx.us-east-1.amazonaws.com,
     volume_id: fsvol-0123456789abcdef0}}
  - {mount: /datasets, type: s3, bucket: "s3://my-datasets/imagenet"}
""",
    "Lustre over EFA": """
node_groups: [{name: h200, count: 2}, {name: cpu, instance_type: m7i.4xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}]
""",
    "everything on the nodes": """
node_groups:
  - {name: h200, scratch: /scratch, health_checks: [gpu], labels: {pool: training},
     slurm: {Weight: 10, Features: fast}, root_volume: {size: 500GiB, iops: 6000, throughput: 500}}
login: {instance_type: m7i.xlarge}
software:
  containers: docker
  scripts:
    - {run: "s3://my-bucket/setup.sh", args: [--fast, "a b"], when: start}
    - {run: "https://example.com/tune.sh?x=1", on: [compute]}
users:
  - {name: alice, uid: 2001, ssh_key: "ssh-ed25519 AAAA $(reboot) 'quoted'"}
  - {name: bob, uid: 2002}
""",
    "pyxis from an own image": """
node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]
software: {os: alinux2023, containers: pyxis}
""",
    "the scheduler": """
queues:
  - {name: train, node_groups: [h200], default: true, time_limit: 7d, priority: 100,
     exclusive: true, slurm: {PreemptMode: "OFF", AllowAccounts: research}}
  - {name: debug, node_groups: [h200], time_limit: 30m, priority: 10}
slurm:
  version: "26.05"
  accounting: managed
  idle_timeout: 5m
  settings: {PreemptType: preempt/partition_prio, PreemptMode: REQUEUE}
  slurmdbd_settings: {PurgeJobAfter: 12month}
  cgroup_settings: {ConstrainRAMSpace: true}
monitoring: {metrics: managed-prometheus, log_retention: 45d}
resilience: {auto_resume: true}
targets: {pcs: {size: medium, rest: true, purge_accounting: 90d}}
""",
    "an existing VPC": """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67891]
  security_groups: [sg-0a1b2c3d4e5f67890]
  ssh_from: [203.0.113.0/24]
login: {instance_type: m7i.xlarge}
""",
    "several subnets": """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}
    - {id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {min: 0, max: 10}}]
""",
    "GovCloud": """
region: us-gov-west-1
network: {zone: usgw1-az1}
node_groups: [{name: h200, instance_type: g5.48xlarge, count: 2}]
""",
}
