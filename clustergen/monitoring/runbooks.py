"""The page that every alert refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from clustergen.monitoring.alert import Action, Alert
from clustergen.monitoring.sources import Source, sources
from clustergen.plan.model import Plan
from clustergen.runbook import SCONTROL

_SEVERITY: Final = {
    "page": "pages",
    "ticket": "ticket",
    "info": "notifies nobody",
    "none": "always fires",
}
_README: Final = "see Replace a node in this bundle's README"
_ANYWHERE: Final[Mapping[Action, str]] = {
    "watch": "Nothing yet: look at it, and decide.",
    "job": "Tell the owner of the job.",
    "capacity": "Decide what to buy, and until when: each step says with which command.",
    "none": "Nothing.",
}
_SLURM: Final[Mapping[Action, str]] = {
    "drain": f"Drain the node: `{SCONTROL} update nodename=NODE state=drain reason=WHY`.",
    "reset": "Drain the node and wait for its job. A reset needs a GPU that nobody uses: "
    "`sudo systemctl stop clustergen-dcgm nvidia-dcgm nvidia-persistenced`, and end what "
    "`sudo fuser -v /dev/nvidia*` still shows. Then `sudo nvidia-smi --gpu-reset -i GPU` (all "
    "GPUs, without `-i`, where NVSwitch connects them), start the units again, and "
    f"`{SCONTROL} update nodename=NODE state=resume`. A reboot of the node resets its GPUs too.",
    "replace": f"Drain the node, and have it replaced: {_README}.",
}
_KUBERNETES: Final[Mapping[Action, str]] = {
    "drain": "`kubectl cordon NODE`; pods that run stay.",
    "reset": f"`kubectl cordon NODE`, wait for its pods, and have it rebooted: {_README}; then "
    "`kubectl uncordon NODE`.",
    "replace": f"`kubectl cordon NODE`, and have it replaced: {_README}.",
}


def runbooks(plan: Plan, chosen: Iterable[Alert]) -> str:
    """One section for each of these alerts; its heading is the alert's anchor."""
    actions = {**_ANYWHERE, **(_SLURM if Source.EXPECTED in sources(plan) else _KUBERNETES)}
    alerts = tuple(chosen)
    return "\n".join(
        (
            f"# Alerts of {plan.name}",
            "",
            "Written by clustergen. Every alert has the path of its section here.",
            "",
            *(line for alert in alerts for line in _section(alert, actions)),
        )
    )


def _section(alert: Alert, actions: Mapping[Action, str]) -> Iterator[str]:
    held = f", after {alert.after}" if alert.after else ""
    yield from (f"## {alert.name}", "", f"Severity: {_SEVERITY[alert.severity]}{held}.", "")
    yield from (alert.meaning, "", f"**Do:** {actions[alert.action]}", "")
    yield from (f"- {step}" for step in alert.steps)
    yield ""
