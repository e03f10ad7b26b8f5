"""The command of ParallelCluster. It answers in JSON on standard output, errors too."""

import json
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from clustergen.base import account
from clustergen.base.account import CallError
from clustergen.base.artifacts import Json
from clustergen.deployment.run import Run, json_of
from clustergen.deployment.world import Stop, nothing

_USUAL: Final = {"AWS_RETRY_MODE": "standard", "AWS_MAX_ATTEMPTS": "8"}
_ALWAYS: Final = {"PCLUSTER_LOG_TO_STDOUT": ""}
"""What it logs there would be before its answer."""
_NO_CREDENTIALS: Final = re.compile(
    "oken has expired|oken included in the request is (expired|invalid)|TokenRefreshRequired"
    "|has expired or is otherwise invalid|Unable to locate credentials|NoCredentials"
    "|Partial credentials|ExpiredToken|InvalidClientTokenId|UnrecognizedClient"
)
_THROTTLED: Final = re.compile(
    "Rate exceeded|[Ll]imit ?[Ee]xceeded|Throttl|TooManyRequests|reduce your request rate"
)
_UNREACHABLE: Final = re.compile(
    r"ServiceUnavailable|Internal(Error|Server|Failure)|\(50[03]\)|Could not connect"
    "|onnection was closed|timed out|timeout on|onnection reset"
)
"""It is not known whether the service has done what it was asked."""


class Pcluster:
    """The command, for the cluster of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def version(self) -> str:
        """The version of ParallelCluster."""
        found = self.run.world.asked(["pcluster", "version"], self._answer(["pcluster", "version"]))
        return str((found or {}).get("version"))

    def ask(self, command: str, *options: str) -> Json | None:
        """What ParallelCluster says of the cluster; None if there is no such cluster.

        :raises Stop: if it does not answer.
        """
        if self.run.options.rehearses:
            return None
        words = self._words(command, *options)
        return self.run.world.asked(words, self._answer(words))

    def instances(self, *options: str) -> Iterator[Json]:
        """The instances of the cluster."""
        more: list[str] = []
        while True:
            answer = self.ask("describe-cluster-instances", *options, *more) or {}
            yield from answer.get("instances") or ()
            if not (token := answer.get("nextToken")):
                return
            more = ["--next-token", token]

    def change(self, command: str, *options: str) -> None:
        """Change the cluster; raises Stop if ParallelCluster refuses it."""
        words = self._words(command, *options)
        rehearses = self.run.options.rehearses
        self.run.world.changed(words, (lambda: {}) if rehearses else self._answer(words))

    def try_out(self, command: str, *options: str) -> Json:
        """What ParallelCluster says of a change that it does not make: an error, in any case."""
        words = self._words(command, *options, "--dryrun", "true")
        found = self.run.world.asked(words, self._answer(words, refused=True))
        if found is None:
            raise Stop(f"there is no cluster {self.run.bundle.cluster} any more. Run this again.")
        return found

    def _words(self, command: str, *options: str) -> list[str]:
        bundle = self.run.bundle
        place = ["--cluster-name", bundle.cluster, "--region", bundle.region]
        return ["pcluster", command, *options, *place]

    def _answer(self, words: list[str], *, refused: bool = False) -> Callable[[], Json]:
        """What runs a command; ``refused`` is whether a refusal is its answer."""

        def answer() -> Json:
            more = {name: os.environ.get(name, value) for name, value in _USUAL.items()}
            ended = self.run.world.programs.run(words, self.run.folder, {**more, **_ALWAYS})
            found = json_of(ended.out)
            if ended.status:
                error = self._failure(found, ended.err)
                # A dry run ends with an error in any case.
                if not refused or not isinstance(found, dict) or type(error) is not CallError:
                    raise error
            if not isinstance(found, dict):
                raise nothing(words)
            return found

        return answer

    def _failure(self, found: Any, complaint: str) -> CallError:
        """Why ParallelCluster did not do what it was told: the message has no more than a word."""
        told = found if isinstance(found, dict) else {}
        text = json.dumps(told, indent=2) if told.keys() - {"message"} else told.get("message")
        text = str(text or complaint.strip() or "it says no reason")
        if f"Cluster '{self.run.bundle.cluster}' does not exist" in text:
            error = account.Missing(text)
            error.code = "ResourceNotFound"
            return error
        kinds = {
            account.NoCredentials: _NO_CREDENTIALS,
            account.Throttled: _THROTTLED,
            account.Unreachable: _UNREACHABLE,
        }
        kind = next((kind for kind, words in kinds.items() if words.search(text)), CallError)
        return kind(text)
