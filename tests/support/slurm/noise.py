"""What Slurm's daemons say about their configuration, and what of it is this machine's fault."""

import re
from collections.abc import Mapping

_COMPLAINT = re.compile(
    r"error|fatal|warn|deprecat|defunct|unknown|unrecogni[sz]ed|invalid|obsolete|no longer", re.I
)
_EXCUSED: Mapping[str, str] = {
    # A pattern of messages, and why they say nothing about a bundle.
    r"xcpuinfo|differs from hardware": "nodes have the CPUs of this machine",
    r"stepd_cleanup: done with step": "how a cancelled step ends",
    r"MailProg": "this machine sends no mail",
    r"Could not open \w+ state file|NOTE: Trying backup|state file .* to recover": "a first start",
    r"UnkillableStepTimeout must be at least": "ParallelCluster sets it, and MessageTimeout",
    r"Database settings not recommended": "the database of the tests is small",
    r"High latency for \d+ calls to gettimeofday": "this machine is busy",
    r"Connection reset by peer|Unable to confirm allocation|msg_type=SRUN_\w+\) failed": (
        "srun of a short job has ended before it was told"
    ),
    r"Unexpected missing socket error": "a daemon closed a connection before the reply was sent",
    r"Requested time limit is invalid": "a job that asked for too much was refused",
    r"specified more than once, latest value used": "settings of a bundle replace the service's",
    r"_shutdown_bu_thread": "the other controller is not up yet",
    r"find assoc 1 on cluster|No Assoc usage file": "the cluster is new to the database",
    # The nodes' script asks again: `templates/hyperpod/node-state.sh.j2`.
    r"node \S+ state set to UNKNOWN|Invalid node state specified 0": (
        "resumed before it answered a restarted controller"
    ),
    r"update_node for \S+ Invalid node state specified$|transition .* from=IDLE to=RESUME": (
        "another run of that script has resumed it in the meantime"
    ),
}
_STAMP = re.compile(r"^\[[^]]*\] ")


def complaints(log: str) -> list[str]:
    """The messages of a log that need an explanation, each once."""
    found = dict.fromkeys(without_time(line) for line in log.splitlines())
    return [line for line in found if _COMPLAINT.search(line) and not _excused(line)]


def without_time(line: str) -> str:
    """A message of a log without what differs each time."""
    return _STAMP.sub("", line)


def _excused(line: str) -> bool:
    return any(re.search(pattern, line) for pattern in _EXCUSED)
