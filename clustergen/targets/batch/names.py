"""Names of queues and jobs, and logical ids of resources."""

from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.aws import cfn
from clustergen.targets.batch.options import Options

NODE_ROLE = "NodeRole"
NODE_PROFILE = "NodeInstanceProfile"
LOG_GROUP = "JobLogGroup"
SCHEDULING_POLICY = "SchedulingPolicy"


def launch_template(group: NodeGroup) -> str:
    return cfn.logical_id("launch-template", group.name)


def compute_environment(group: NodeGroup) -> str:
    return cfn.logical_id("compute-environment", group.name)


def node_role(group: NodeGroup) -> str:
    """The role of a group with permissions of its own."""
    return cfn.logical_id("node-role", group.name)


def placement_group(group: NodeGroup) -> str:
    return cfn.logical_id("placement-group", group.name)


def queue_id(queue: Queue) -> str:
    return cfn.logical_id("queue", queue.name)


def queue(plan: Plan, queue: Queue) -> str:
    """The name of a queue, which users type; it is unique in the account and region."""
    named = plan.options_as(Options).queue_names
    return named.get(queue.name, f"{plan.name}-{queue.name}")


def log_group(plan: Plan) -> str:
    """Batch's own group, /aws/batch/job, keeps the logs of all clusters forever."""
    return f"/aws/batch/{plan.name}"


def job(queue: Queue, group: NodeGroup, kind: str) -> str:
    """The stem of a job's file: the queue, the node group if it has another name, what it does."""
    words = [queue.name] if queue.name == group.name else [queue.name, group.name]
    return "-".join((*words, kind))
