"""What deploying a bundle over an earlier one does to what runs.

``model`` has the effects and their order, ``bundles`` compares two bundles, ``identity`` decides
whether they are for the same cluster. Each kind of document has a module, which knows how its
service changes what exists: CloudFormation templates (``templates``, with ``resources`` and
``file_systems``), ``cluster.yaml`` of ParallelCluster, requests of HyperPod, Kubernetes manifests
(``manifests``, with ``fixed_fields`` and ``claims``). The documents are compared with each other;
what is deployed may differ from both.
"""

from clustergen.bundle.effects.bundles import Files, effects, files_in, files_of, of_folder
from clustergen.bundle.effects.identity import target_of
from clustergen.bundle.effects.model import KINDS, Effect, Kind, worst

__all__ = [
    "KINDS",
    "Effect",
    "Files",
    "Kind",
    "effects",
    "files_in",
    "files_of",
    "of_folder",
    "target_of",
    "worst",
]
