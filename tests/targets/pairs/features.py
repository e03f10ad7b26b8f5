"""The features that are paired, and the levels of each: what a level sets over :data:`BASE`.

The first level of a feature sets nothing. Which targets take a level, and beside what, is for the
compiler to say.
"""

import functools
from collections.abc import Mapping

from clustergen.base.yaml_text import yaml_text
from tests.plan.features.modes import Values, edited
from tests.support.tables import flow

BASE: Values = flow("""
version: 1
name: paired
region: us-east-2
network: {zone: use2-az3}
node_groups: [{name: main, instance_type: p5en.48xlarge, count: 4}]
monitoring: {dashboards: none}
""")
FEATURES: Mapping[str, Mapping[str, Values]] = flow("""
type:
  p5en: {}
  two: {node_groups.0.instance_type: null, node_groups.0.instance_types: [p5.48xlarge,
    p5e.48xlarge]}
  trn2: {node_groups.0.instance_type: trn2.48xlarge, node_groups.0.image: ami-0a1b2c3d4e5f67890}
  cpu: {node_groups.0.instance_type: m7i.4xlarge}
beside:
  nothing: {}
  cpu: {node_groups.1: {name: beside, instance_type: m7i.4xlarge, count: 2}}
  spot: {node_groups.1: {name: beside, instance_types: [g6e.12xlarge, g6.12xlarge], count: {min: 0,
    max: 4}, capacity: spot, efa: false}}
  sizes: {node_groups.1: {name: beside, instance_types: [g6e.8xlarge, g6e.48xlarge], count: 2,
    efa: false}}
count: {fixed: {}, dynamic: {node_groups.0.count: {min: 0, max: 4}}, one: {node_groups.0.count: 1}}
capacity:
  on-demand: {}
  spot: {node_groups.0.capacity: spot}
  reservation: {node_groups.0.capacity: {reservation: cr-0a1b2c3d4e5f67890}}
  block: {node_groups.0.capacity: {capacity_block: cr-0a1b2c3d4e5f67890,
    starts: '2027-01-10T11:30:00Z', ends: '2027-01-24T11:30:00Z'}}
  plan: {node_groups.0.capacity:
    {training_plan: 'arn:aws:sagemaker:us-east-2:111122223333:training-plan/large'}}
efa: {auto: {}, 'off': {node_groups.0.efa: false}}
checks: {default: {}, gpu: {node_groups.0.health_checks: [gpu]}}
taints:
  default: {}
  own: {node_groups.0.taints: [{key: acme.com/team}], node_groups.0.labels: {team: a}}
network:
  new: {}
  open: {network.ssh_from: [203.0.113.0/24]}
  closed: {network.internet: none,
    software.registry: 111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror}
  existing: {network: {zone: use2-az3, vpc: vpc-0a1b2c3d, private_subnets: [{id: subnet-0a1b2c3d,
    zone: use2-az3, cidr: 10.0.0.0/20}], public_subnets: [subnet-0b1b2c3d],
    control_plane_subnets: [{id: subnet-0a1b2c3d, zone: use2-az3}, {id: subnet-0c1b2c3d,
    zone: use2-az1}]}}
storage:
  none: {}
  lustre: {storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}]}
  lustre and homes: {storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250},
    {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}]}
  several: {storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true,
    kms_key: 'arn:aws:kms:us-east-2:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789'},
    {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320, on_delete: delete},
    {mount: /tools, type: efs}]}
  bucket: {storage: [{mount: /raw, type: s3, bucket: 's3://example-corpus/raw'}]}
  existing: {storage: [{mount: /old, type: fsx-lustre, existing: {id: fs-0a1b2c3d4e5f67890,
    mount_name: abcdefgh}}]}
login: {none: {}, two: {login: {instance_type: m7i.xlarge, count: 2}}}
users:
  none: {}
  two: {users: [{name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAA x}, {name: bob, uid: 2002}]}
queues:
  default: {}
  one: {queues: [{name: train, node_groups: [main], time_limit: 2d}]}
  three: {queues: [{name: train, node_groups: [main], priority: 100, time_limit: 2d}, {name: tune,
    node_groups: [main], priority: 10, default: true}, {name: try, node_groups: [main]}]}
accounting:
  default: {}
  managed: {slurm.accounting: managed}
  database: {slurm.accounting: {endpoint: slurm.cluster-abcdefghijkl.us-east-2.rds.amazonaws.com,
    user: slurm, secret: 'arn:aws:secretsmanager:us-east-2:111122223333:secret:slurm-AbCdEf'}}
containers: {default: {}, none: {software.containers: none}, docker: {software.containers: docker}}
scripts:
  none: {}
  own: {software.scripts: [{run: 's3://my-bucket/it''s a.sh', args: [$(x), b c]}]}
metrics:
  none: {}
  dashboard: {monitoring.alerts: {email: [a@example.com]}, monitoring.dashboards: cloudwatch}
  prometheus: {monitoring.metrics: managed-prometheus}
  alerts: {monitoring.metrics: managed-prometheus, monitoring.alerts: {email: [a@example.com]}}
  everything: {monitoring.metrics: managed-prometheus, monitoring.alerts: {email: [a@example.com]},
    monitoring.dashboards: grafana-files}
recovery:
  default: {}
  jobs: {resilience.auto_resume: true}
  none: {resilience.replace_failed_nodes: false}
account:
  plain: {}
  strict: {permissions_boundary: 'arn:aws:iam::111122223333:policy/boundary', tags: {team: a b,
    'x:y': z}}
autoscaler: {none: {}, karpenter: {kubernetes.autoscaler: karpenter}}
admission: {kueue: {}, none: {kubernetes.admission: none}}
scheduler: {default: {}, volcano: {kubernetes.scheduler: volcano}, kai: {kubernetes.scheduler: kai}}
jobs: {mpi: {}, trainer: {kubernetes.jobs: kubeflow-trainer}}
devices: {plugin: {}, dra: {kubernetes.devices: dra}}
access:
  none: {}
  team: {kubernetes.admins: ['arn:aws:iam::111122223333:role/platform'],
    kubernetes.access: [{principal: 'arn:aws:iam::111122223333:role/team', level: view}]}
""")
SLURM = ("login", "users", "accounting", "containers")
KUBERNETES = ("autoscaler", "admission", "scheduler", "jobs", "devices", "access", "taints")
WITHOUT: Mapping[str, tuple[str, ...]] = {
    "parallelcluster": KUBERNETES,
    "pcs": KUBERNETES,
    "hyperpod-slurm": KUBERNETES,
    "hyperpod-eks": SLURM,
    "eks": SLURM,
    "batch": (*SLURM, *KUBERNETES),
}
"""Features that a target reads past: a spec may have them for another one."""


def text(levels: Mapping[str, str], target: str) -> str:
    """The spec of a row: levels by feature; a feature that is not there has its first one."""
    sets = [BASE, *(FEATURES[name][level] for name, level in levels.items())]
    if target == "hyperpod-eks":
        sets.append({"targets.hyperpod-eks.eks_cluster": "new"})
    return yaml_text(functools.reduce(edited, sets, {}))
