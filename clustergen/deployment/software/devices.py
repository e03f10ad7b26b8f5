"""Software that offers devices, where others have theirs: on which nodes it is installed."""

import json
from collections.abc import Collection
from functools import cached_property

from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.software import daemon_sets
from clustergen.deployment.software.daemon_sets import DaemonSet
from clustergen.deployment.software.helm import Helm
from clustergen.deployment.software.model import Joined, Release
from clustergen.deployment.software.presence import Presence, is_there
from clustergen.deployment.world import Stop


class Devices:
    """The nodes of a bundle whose devices pods use, and what offers these."""

    def __init__(self, api: Kubernetes, helm: Helm, presence: Presence, joined: Joined) -> None:
        self.api, self.run, self.helm = api, api.run, helm
        self.presence, self.joined = presence, joined

    @cached_property
    def _sets(self) -> list[DaemonSet]:
        return daemon_sets.read(self.api)

    def look_again(self) -> None:
        """Forget which DaemonSets there were."""
        self.__dict__.pop("_sets", None)

    def _served(
        self, release: Release, pattern: str, own: Collection[str]
    ) -> list[tuple[str, str, str]]:
        """Group and type of nodes that need a chart, and what has a container like the pattern."""
        found = daemon_sets.serving(self._sets, self.joined.nodes, release.chart, own, pattern)
        return [(node.group, node.type, by) for node, by in found]

    def check(self, release: Release) -> None:
        """Stop if nodes would offer devices twice, or not at all."""
        self._stop_at_another_way(release)
        found = ""
        if not release.groups_value and not self.presence.is_claimed(release.chart):
            found = self.presence.sign(release.signs)
        known: dict[str, str] = {}
        for group, kind, by in self._served(release, release.same, [_place(release)]):
            if found and not by:
                raise Stop(
                    f"{found} does not offer what the nodes of {group} need, and a cluster has "
                    f"only one {release.chart}: ask its owner for its tolerations, its node "
                    f"affinity and its resources to include these nodes ({kind}), or write another "
                    "value of kubernetes.devices. Nothing was changed."
                )
            if bool(known.setdefault(group, by)) != bool(by):
                raise Stop(
                    f"{known[group] or by} runs on some types of the node group {group} only: "
                    f"write one instance type, or ask its owner to include {kind}. Nothing was "
                    "changed."
                )

    def _stop_at_another_way(self, release: Release) -> None:
        if not release.other:
            return
        own = {f"{each['namespace']}/{each['name']}" for each in self.helm.own()}
        way = "dra" if release.groups_value else "plugin"
        for group, _, by in self._served(release, release.other, own):
            if by:
                raise Stop(
                    f"{by} of the cluster runs on the nodes of {group}, too. Beside "
                    f"{release.chart} of this bundle, two pods would get one device: write "
                    f"kubernetes.devices: {way} and render again, or ask its owner to keep it off "
                    f"these nodes ({self.joined.node_label} NotIn {group}). Nothing was changed."
                )

    def needed_for(self, release: Release) -> list[str]:
        """Options of Helm with the groups whose nodes need a release; empty if none does."""
        # The types of a group are all served, or none is: see `check`.
        found = {g: by for g, _, by in self._served(release, release.same, [_place(release)])}
        lacking = [group for group, by in found.items() if not by]
        served = next(filter(None, reversed(found.values())), "")
        if not lacking:
            self.run.note(is_there(release.chart, served))
            names = {(each["name"], each["namespace"]) for each in self.helm.own()}
            if (release.name, release.namespace) in names:
                self.uninstall(release.name, release.namespace)
            return []
        if served:
            self.run.note(
                f"{served} serves other nodes of this bundle, but not those of "
                f"{', '.join(lacking)}: they get their own."
            )
        return [
            "--set-json",
            f"{release.groups_value}={json.dumps(lacking, separators=(',', ':'))}",
        ]

    def uninstall(self, name: str, namespace: str) -> None:
        """Uninstall with all pods, which could compete with those of another release."""
        self.helm.uninstall(
            name, namespace, "--cascade", "foreground", "--wait", "--timeout", "10m"
        )


def _place(release: Release) -> str:
    return f"{release.namespace}/{release.name}"
