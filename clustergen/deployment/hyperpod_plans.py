"""Training plans, which give instance groups of HyperPod their nodes."""

from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment import hyperpod_requests
from clustergen.deployment.run import Run

_ENDED: Final = ("Expired", "Failed")
_AHEAD: Final = ("Pending", "Scheduled")


class TrainingPlans:
    """The plans in a request, once they were read.

    HyperPod does not document whether it accepts an update that names an ended plan.
    https://docs.aws.amazon.com/sagemaker/latest/dg/training-plan-details-using-api-cli-sdk.html
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.over: set[str] = set()
        """The groups whose plan has ended."""
        self.undue: set[str] = set()
        """The groups whose plan gives them no nodes now."""

    def read(self, request: Json) -> None:
        """Ask for each plan; without permission to ask, it counts as active."""
        self.over, self.undue = set(), set()
        for group, plan in hyperpod_requests.plans(request):
            call = "sagemaker:DescribeTrainingPlan"
            found = self.run.world.allowed([], call, TrainingPlanName=plan) or {}
            state = found.get("Status")
            if state in _ENDED:
                self.over.add(group)
                self.run.note(
                    f"The training plan {plan} is {state}, so that the instance group {group} is "
                    "left as it is. Give its node group another plan in the spec, or remove the "
                    "node group."
                )
            elif state in _AHEAD:
                self.run.note(
                    f"The training plan {plan} is {state}: HyperPod adds the nodes of {group} when "
                    "it is active."
                )
            if state in (*_ENDED, *_AHEAD):
                self.undue.add(group)
