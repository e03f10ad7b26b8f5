"""Specs that between them use all that this target emits."""

PLAN_ARN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/p5en-fortnight"
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"

LEGACY = "targets: {hyperpod-slurm: {mode: legacy}}\n"
CUSTOMER = "targets: {hyperpod-slurm: {mode: customer-managed}}\n"
AT_ONCE = "targets: {hyperpod-slurm: {provisioning: all-at-once}}\n"
LOGIN = "login: {instance_type: m7i.xlarge, count: 2}\n"
DATABASE = f"slurm: {{accounting: {{endpoint: db.example.com, secret: '{SECRET}'}}}}\n"
STORAGE = """storage:
  - {mount: /fsx, type: fsx-lustre, size: 2400GiB}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}
"""
USERS = "users: [{name: alice, uid: 2001}]\n"
EXISTING = """network:
  zone: null
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890, subnet-0a1b2c3d4e5f67891]
  security_groups: [sg-0a1b2c3d4e5f67890, sg-0a1b2c3d4e5f67891]
"""
RESTRICTED = """targets:
  hyperpod-slurm:
    overlay:
      RestrictedInstanceGroups:
        - {InstanceGroupName: nova, InstanceType: ml.p5.48xlarge, InstanceCount: 4,
           ExecutionRole: arn:aws:iam::111122223333:role/nova,
           EnvironmentConfig: {FSxLustreConfig: {SizeInGiB: 12000, PerUnitStorageThroughput: 250}}}
"""

SPECS = {
    "smallest": "",
    "login": LOGIN + "network: {ssh_from: [203.0.113.0/24]}\n",
    "storage": STORAGE,
    "users": STORAGE + USERS,
    "customer-managed": STORAGE + USERS + CUSTOMER,
    "legacy": STORAGE + LOGIN + USERS + LEGACY,
    "legacy database": STORAGE + DATABASE + LEGACY,
    "several controllers": STORAGE
    + DATABASE
    + "targets: {hyperpod-slurm: {mode: legacy, controllers: 3}}\n",
    "database": DATABASE,
    "managed accounting": "slurm: {accounting: managed}\n" + USERS,
    "at once": AT_ONCE,
    "training plan": f"node_groups: [{{name: h200, capacity: {{training_plan: '{PLAN_ARN}'}}}}]",
    "health": "node_groups: [{name: h200, health_checks: [gpu, instance-stress, multi-node]}]",
    "existing": EXISTING,
    "second lustre": STORAGE + "  - {mount: /data, type: fsx-lustre, size: 1200GiB}\n",
    "efs and bucket": "storage: [{mount: /tools, type: efs}, {mount: /data, type: s3, "
    "bucket: s3://my-bucket/data}]",
    "several types": "node_groups: [{name: h200, instance_type: null, instance_types: "
    "[g6e.12xlarge, g6.12xlarge], count: 2}]",
    "settings": "slurm: {settings: {SchedulerParameters: 'defer,bf_continue'}}",
    "restricted": RESTRICTED,
    "trainium": "node_groups: [{name: h200, instance_type: trn2.48xlarge}]",
    "image": "node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890, threads_per_core: 1}]",
    "no recovery": "resilience: {replace_failed_nodes: false}\ntags: {team: a b}",
}
