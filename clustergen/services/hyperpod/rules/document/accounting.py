"""Slurm's accounting."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import as_map
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import in_request, rule

_DATABASE = """Orchestrator: {Slurm: {AccountingDatabase: {Endpoint: db.example.com, \
SecretArn: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf'}}}"""


@rule(
    "OVL310",
    "Accounting database without continuous provisioning",
    why="HyperPod connects Slurm to an external database only with continuous provisioning.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterOrchestratorSlurmConfig.html",
    bad=in_request(f"NodeProvisioningMode: null, {_DATABASE}"),
    good=in_request(_DATABASE),
)
def database(document: Document) -> Iterator[Problem]:
    slurm = as_map(document.part("Orchestrator").get("Slurm"))
    if "AccountingDatabase" in slurm and not (document.is_eks or document.is_continuous):
        yield document.problem(
            "Orchestrator",
            "AccountingDatabase without continuous provisioning",
            "add NodeProvisioningMode: Continuous",
        )
