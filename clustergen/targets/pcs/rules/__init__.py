"""Rules for PCS."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="pcs")
warning = functools.partial(findings.warning, target="pcs")
note = functools.partial(findings.note, target="pcs")
JOINED = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]
targets: {pcs: {cluster: pcs_0a1b2c3d4e, cluster_security_group: sg-0a1b2c3d4e5f67891}}"""
"""An example that adds nodes to an existing cluster."""
