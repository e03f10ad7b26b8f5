"""The default storage class, without which a claim that names none stays pending."""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.kubernetes.manifest import annotated, kubernetes_object

NAME = "gp3"
COMMENT = ("The default class of volumes that pods ask for: EBS volumes, made when a pod starts.",)


def objects(plan: Plan) -> Iterator[Json]:
    """Volumes of EBS by the driver of the add-on aws-ebs-csi-driver, gp3 and encrypted.

    New clusters of EKS have no default class. A volume is made in the zone of the pod.
    https://docs.aws.amazon.com/eks/latest/userguide/ebs-csi.html (2026-11)
    """
    if plan.options.leaves_out("ebs-driver"):
        return
    made = kubernetes_object(
        "storage.k8s.io/v1",
        "StorageClass",
        NAME,
        provisioner="ebs.csi.aws.com",
        parameters={"type": "gp3", "encrypted": "true"},
        volumeBindingMode="WaitForFirstConsumer",
        allowVolumeExpansion=True,
    )
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    yield annotated(made, default)
