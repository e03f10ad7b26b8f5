"""Rules for EKS, one module for each concern."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="eks")
warning = functools.partial(findings.warning, target="eks")
note = functools.partial(findings.note, target="eks")
VPC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}]"""
"""The VPC of an existing cluster, for examples."""
KNOWN = "version: '1.35'"
JOINED = f"{VPC}\ntargets: {{eks: {{cluster: platform}}}}\nkubernetes: {{{KNOWN}}}"
"""A spec that adds nodes to it."""
