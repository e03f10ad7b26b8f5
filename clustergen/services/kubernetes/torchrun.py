"""Pods that start torchrun on each node and find each other by the name of the first.

An Indexed Job and a headless Service need no operator, and every scheduler knows them.
https://kubernetes.io/docs/tasks/job/job-with-pod-to-pod-communication/ (2026-11)
"""

from clustergen.base.artifacts import Json
from clustergen.services.kubernetes.manifest import kubernetes_object

_PORT = 29500


def service(name: str, namespace: str) -> Json:
    """The names of the pods of a job: ``NAME-0.NAME`` is the first."""
    spec = {
        "clusterIP": "None",
        # Pods look for each other before all of them are ready.
        "publishNotReadyAddresses": True,
        "selector": {"batch.kubernetes.io/job-name": name},
    }
    return kubernetes_object("v1", "Service", name, namespace=namespace, spec=spec)


def script(name: str, nodes: int, processes: int, program: str) -> str:
    """Wait for the name of the first pod, then start ``program`` once for each process.

    Pods that fail are replaced, and join the others: c10d, unlike node ranks, lets them.
    https://docs.pytorch.org/docs/stable/elastic/run.html (2026-11)
    """
    first = f"{name}-0.{name}"
    return (
        f"until getent hosts {first}; do sleep 2; done\n"
        f"exec torchrun --nnodes={nodes} --nproc-per-node={processes} \\\n"
        f"  --rdzv-backend=c10d --rdzv-id={name} --rdzv-endpoint={first}:{_PORT} \\\n"
        "  --rdzv-conf=is_host=$((JOB_COMPLETION_INDEX == 0)) \\\n"
        f"  {program}\n"
    )


def with_program(name: str, nodes: int, processes: int, program: str, arguments: str = "") -> str:
    """The :func:`script` of a program that is not in the image, with the text of it."""
    return (
        'cd "$(mktemp -d)" || exit\n'
        f"cat >reduce.py <<'END'\n{program}END\n"
        f"{script(name, nodes, processes, f'reduce.py {arguments}'.rstrip())}"
    )
