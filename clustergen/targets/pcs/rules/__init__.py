"""Rules for PCS."""

from __future__ import annotations

import functools

from clustergen import findings

rule = functools.partial(findings.rule, target="pcs")
"""Declares a rule of PCS."""
ID = "pcs_0a1b2c3d4e"
"""Id of an existing cluster, for examples."""
VPC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]"""
"""Its VPC."""
GROUP = "sg-0a1b2c3d4e5f67891"
"""Its security group."""
JOINED = f"""{VPC}
targets: {{pcs: {{cluster: {ID}, cluster_security_group: {GROUP}}}}}"""
"""A spec that adds nodes to it."""
