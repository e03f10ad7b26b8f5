"""Clusters that the tests of this target render, by name: fragments over the example spec."""

SCRIPTS = "s3://my-bucket/setup.sh"
CHECKSUM = "0123456789abcdef" * 4

SPECS: dict[str, str] = {
    "example": "",
    "capacity block with everything around it": """
tags: {team: research, "yes": "no"}
network: {ssh_from: [203.0.113.0/24, 10.0.0.0/8]}
login: {instance_type: m7i.xlarge, count: 2}
node_groups:
  - {name: h200, count: 16, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}, threads_per_core: 1,
     health_checks: [gpu], scratch: /local, root_volume: {size: 200GiB, iops: 6000,
     throughput: 500}}
queues: [{name: train, node_groups: [h200], time_limit: 7d, priority: 100, exclusive: true}]
storage:
  - {mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB}
  - {mount: /data/x, type: efs}
software: {containers: pyxis}
users: [{name: alice, uid: 2001, ssh_key: "ssh-ed25519 AAAA a'b$(reboot)"}, {name: bob, uid: 2002}]
slurm: {settings: {SchedulerParameters: defer, EnforcePartLimits: true}}
""",
    "partitions over other queues": """
node_groups:
  - {name: h200, count: {min: 1, max: 8}}
  - {name: cheap, instance_types: [g6e.xlarge, g6.xlarge], count: {max: 4}, capacity: spot}
  - {name: cpu, instance_type: m7i.4xlarge, count: {max: 20}, labels: {disk: fast, new: ""}}
queues:
  - {name: all, node_groups: [h200, cheap, cpu], default: true, exclusive: true}
  - {name: train, node_groups: [h200], slurm: {PreemptMode: REQUEUE}}
  - {name: tune, node_groups: [cheap]}
  - {name: cpu, node_groups: [cpu], priority: 10}
  - {name: low, node_groups: [h200], time_limit: 90m, priority: 1}
slurm:
  settings: {PreemptType: preempt/partition_prio, PreemptMode: REQUEUE}
  accounting:
    endpoint: db.example.com
    database: research
    secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:slurm-AbCdEf
""",
    "everything exists": """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67891]
  security_groups: [sg-0a1b2c3d4e5f67890]
  ssh_from: [203.0.113.0/24]
node_groups: [{name: h200, placement: {group: training}, image: ami-0a1b2c3d4e5f67890}]
storage:
  - {mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}
  - {mount: /home, type: fsx-openzfs, existing: {id: fs-0123456789abcdef1,
     volume_id: fsvol-0123456789abcdef1}}
  - {mount: /archive, type: fsx-ontap, existing: {id: fs-0123456789abcdef2,
     volume_id: fsvol-0123456789abcdef2}}
  - {mount: /data, type: file-cache, existing: {id: fc-0123456789abcdef0, mount_name: abcdefgh}}
  - {mount: /work, type: ebs, existing: {id: vol-0123456789abcdef0}}
  - {mount: /shared, type: efs, existing: {id: fs-0123456789abcdef3}}
software: {os: alinux2023}
targets: {parallelcluster: {key_name: admin}}
""",
    "a volume and scripts": f"""
region: us-east-2
network: {{zone: use2-az2}}
node_groups: [{{name: h200, instance_type: hpc7a.96xlarge, count: {{max: 32}}}}]
storage:
  - {{mount: /work, type: ebs, size: 500GiB, iops: 6000, throughput: 500, on_delete: delete}}
  - {{mount: /home, type: ebs, volume_type: io2, size: 100GiB, iops: 5000}}
software:
  containers: docker
  scripts:
    - {{run: "{SCRIPTS}", args: [--fast, 1, "yes"], on: [head, compute]}}
    - {{run: "https://example.com/x.sh", when: start, on: [compute]}}
    - {{run: "https://example.com/y.sh", sha256: {CHECKSUM}}}
login: {{instance_type: m7i.large}}
""",
    "reservation": """
node_groups:
  - {name: h200, instance_type: p6-b200.48xlarge, capacity: {reservation: cr-0a1b2c3d4e5f67890}}
""",
    "reservation group": """
node_groups:
  - {name: h200, instance_type: p5en.48xlarge,
     capacity: {reservation_group: arn:aws:resource-groups:us-east-1:123456789012:group/training}}
""",
    "b300": "node_groups: [{name: h200, instance_type: p6-b300.48xlarge}]",
    "ultraserver": """
network: {zone: us-east-1-dfw-2a}
head_node: {instance_type: m8g.4xlarge}
node_groups:
  - {name: h200, instance_type: p6e-gb200.36xlarge, count: 18,
     capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}
""",
    "trainium": """
region: us-east-2
network: {zone: use2-az3}
node_groups:
  - {name: h200, instance_type: trn2.48xlarge, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}
""",
    "one GPU": "node_groups: [{name: h200, instance_type: g6e.xlarge, count: {max: 1}}]",
    "spot over zones": """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}
    - {id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}
    - {id: subnet-0a1b2c3d4e5f67892, zone: use1-az2}
node_groups:
  - {name: h200, instance_type: m7i.4xlarge, count: 1}
  - {name: tune, instance_types: [g6e.xlarge, g6.xlarge], count: {min: 1, max: 16}, capacity: spot}
""",
    "rocky": """
software: {os: rocky9}
head_node: {image: ami-0a1b2c3d4e5f67890}
login: {instance_type: m7i.large, image: ami-0a1b2c3d4e5f67890}
node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67891}]
""",
    "red hat": "software: {os: rhel9}",
    "GovCloud": """
region: us-gov-west-1
network: {zone: usgw1-az1}
node_groups: [{name: h200, instance_type: p4d.24xlarge}]
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]
""",
    "China": """
region: cn-north-1
network: {zone: cnn1-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]
monitoring: {log_retention: 1d, dashboards: none}
""",
}
