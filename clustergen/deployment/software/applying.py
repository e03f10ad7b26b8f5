"""Manifests of a bundle, as the API takes or rejects them."""

import re
from collections.abc import Iterable
from typing import Final

from clustergen.deployment import filling
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.programs import Ended
from clustergen.deployment.run import FILLED, Outputs
from clustergen.deployment.world import AGAIN, Stop, at

_TRIES: Final = 50
_SECONDS: Final = 6
_REJECTIONS: Final = (
    (
        r"persistentvolumesource[^\n]*immutable",
        # A volume keeps the file system that it was created for.
        "a file system was replaced, and a volume cannot change to the new one. Once no pod uses "
        "the volumes named above, delete them with their claims (kubectl delete pvc, then kubectl "
        "delete pv; the data stays in the file systems)",
    ),
    (r"failed calling webhook|because it is being terminated", ""),
    (
        r"getting credentials: exec|must be logged in|Unauthorized",
        "the EKS cluster does not accept these credentials. Renew them, or use those of the "
        "creator of the cluster or of kubernetes.admins (aws sts get-caller-identity shows yours)",
    ),
    (
        r"denied (the )?request",
        "an admission policy of the cluster denies it, for the reason above. Change the policy, or "
        "what it denies",
    ),
    (
        r"is forbidden",
        "these credentials may not do this. Use those of the creator of the cluster or of "
        "kubernetes.admins",
    ),
    (
        r"immutable|are forbidden|may not be changed|cannot change roleRef",
        "a field of the object named above cannot change. Undo the change, or delete the object "
        "once nothing uses it (kubectl delete)",
    ),
    (
        r"is invalid|error validating|error parsing|decoding error|unknown field",
        "the API rejects it, for the reason above. Change the spec or its overlay, render",
    ),
)
"""What the API will not accept later either, and the way out; the first that fits.

Everything else may pass, and so may what has no way out: new kinds, namespaces and webhooks take a
while, and so do connections.
"""
_MISSING: Final = re.compile(r'no matches for kind|ensure CRDs|namespaces "[^"]*" not found')
"""What is there once the bundle is."""


class Manifests:
    """Files of objects; ``volumes`` has what stands in them for paths of volumes of FSx."""

    def __init__(self, api: Kubernetes, outputs: Outputs, volumes: dict[str, str]) -> None:
        self.api, self.run, self.outputs, self.volumes = api, api.run, outputs, volumes
        self._ready: dict[str, str] = {}

    def ready(self, path: str) -> str:
        """The path of a file with the values of the stacks in place of their names."""
        if path not in self._ready:
            self._ready[path] = self._filled(path)
        return self._ready[path]

    def _filled(self, path: str) -> str:
        text = self.run.text(path)
        marks = {mark: id for id, mark in self.volumes.items() if mark in text}
        if not marks and not filling.names(text):
            return path
        if self.run.options.rehearses:
            self.run.note(f"+ fill the placeholders of {path} into {FILLED}/{path}")
            return f"{FILLED}/{path}"
        for mark, id in marks.items():
            text = text.replace(mark, self._path(id))
        filling.fill_text(self.run, path, text, self.outputs)
        return f"{FILLED}/{path}"

    def _path(self, id: str) -> str:
        """Only FSx knows the path of a volume."""
        found = self.run.world.need("fsx:DescribeVolumes", "Volumes.0", VolumeIds=[id])
        paths = ("OpenZFSConfiguration.VolumePath", "OntapConfiguration.JunctionPath")
        if path := next(filter(None, (at(found, each) for each in paths)), None):
            return str(path)
        raise Stop(f"FSx reports no path for {id}.")

    def apply(self, paths: Iterable[str]) -> None:
        """Create or change the objects of files."""
        names = [*paths]
        if not names:
            return
        command = self._command(names)
        self.run.world.screen.command(command)
        if self.run.options.rehearses:
            return
        what, said = " ".join(names), ""
        # Webhooks reject requests for some seconds after they start.
        for _ in range(_TRIES):
            ended = self.api.answer(command)
            if not ended.status:
                self._tell(ended)
                return
            if said != ended.err:
                self._tell(ended)
            said = ended.err
            _stop_at_rejection(what, said)
            self.run.world.clock.sleep(_SECONDS)
        raise Stop(f"{what} could not be applied, for the reason above. {AGAIN.capitalize()}.")

    def _tell(self, ended: Ended) -> None:
        if said := f"{ended.out}{ended.err}".strip():
            self.run.note(said)

    def check(self, paths: Iterable[str]) -> None:
        """Stop at what the API would reject, before anything changes.

        It says nothing about files whose values are not known yet, and about kinds and namespaces
        that are missing.
        """
        if self.run.options.rehearses:
            return
        for path in paths:
            if filling.names(filling.filled(self.run.text(path), self.outputs)):
                continue
            ended = self.api.answer(self._command([path], "--dry-run=server"))
            lines = ended.err.splitlines() if ended.status else []
            if said := "\n".join(line for line in lines if not _MISSING.search(line)):
                self.run.note(said)
                _stop_at_rejection(path, said)

    def _command(self, paths: Iterable[str], *more: str) -> list[str]:
        files = (word for path in paths for word in ("--filename", self.ready(path)))
        words = ("kubectl", "--context", self.api.context, "apply", "--server-side")
        return [*words, "--force-conflicts", *more, "--request-timeout", "60s", *files]


def _stop_at_rejection(what: str, said: str) -> None:
    for pattern, way in _REJECTIONS:
        if re.search(pattern, said):
            if way:
                raise Stop(f"{what}: {way}, and run the same command again.")
            return
