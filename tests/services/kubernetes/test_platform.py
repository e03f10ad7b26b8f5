"""What every cluster has for software from elsewhere: volumes on demand, runtimes of TrainJobs."""

from clustergen.services.eks import addons
from tests.services.kubernetes.planned import objects_of, plan_of, values_of
from tests.services.kubernetes.specs import SPECS


def test_a_claim_that_names_no_class_gets_a_volume() -> None:
    """A new cluster of EKS has no default class, and so no chart with a claim starts."""
    [made] = objects_of("", "manifests/storage-class.yaml")
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    assert made["metadata"]["annotations"] == default
    assert made["provisioner"] == "ebs.csi.aws.com"
    assert made["parameters"] == {"type": "gp3", "encrypted": "true"}
    # In the zone where the pod runs.
    assert made["volumeBindingMode"] == "WaitForFirstConsumer"
    assert addons.EBS in addons.wanted(plan_of(""))


def test_the_trainer_runs_no_job_with_an_image_from_elsewhere() -> None:
    values = values_of(SPECS["TrainJob"], "kubeflow-trainer")
    assert values["runtimes"] == {"torchDistributed": {"enabled": False}}
    [runtime] = objects_of(SPECS["TrainJob"], "manifests/runtimes.yaml")
    named = (runtime["kind"], runtime["metadata"]["name"])
    assert named == ("ClusterTrainingRuntime", "torch-distributed")
    assert objects_of("", "manifests/runtimes.yaml") == []
