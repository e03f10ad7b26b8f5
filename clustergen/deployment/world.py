"""One account in one region: questions, changes, and waiting for what AWS does."""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

from clustergen.base import account
from clustergen.base.account import CallError
from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from clustergen.deployment import printing
from clustergen.deployment.programs import Installed, Programs
from clustergen.deployment.screen import Screen

T = TypeVar("T")

PAUSE_SECONDS: Final = 15
"""Between two questions about what AWS is doing, and before a question is asked again."""
_TRIES: Final = 10
_TRIES_WITHOUT_CONNECTION: Final = 2
"""A network without a way to the service has none later."""
AGAIN: Final = "run the same command again"
_MISSING: Final = words("""
    ResourceNotFound NoSuchEntity NoSuchKey NoSuchBucket 404 ChangeSetNotFound
    InvocationDoesNotExist InvalidCapacityReservationId.NotFound
""")
"""How the codes begin with which services say that something does not exist."""
_PASSING: Final = words("""
    RequestLimitExceeded SlowDown ServiceUnavailable InternalError InternalServer InternalFailure
    500 503
""")
"""How the codes begin that are about load, and may not come the next time."""


class Stop(Exception):
    """What ends a run: the message says why, and what to do; ``notes`` are lines before it."""

    def __init__(self, message: str, *notes: str) -> None:
        super().__init__(message)
        self.notes = notes


class Late(Stop):
    """Something has not come within its time."""


class Transport(Protocol):
    """Sends calls. :class:`clustergen.base.account.CallError` says why there is no answer."""

    def send(self, call: str, arguments: Mapping[str, Any]) -> Json: ...

    def pages(self, call: str, arguments: Mapping[str, Any]) -> Iterable[Json]: ...


class Clock(Protocol):
    """Seconds since 1970, and time that passes."""

    def time(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


@dataclass
class Botocore:
    """Sends calls with botocore."""

    region: str
    _clients: dict[str, Any] = field(default_factory=dict)

    def send(self, call: str, arguments: Mapping[str, Any]) -> Json:
        return dict(self._sent(lambda: account.ask(self._client(call), call, **arguments)))

    def pages(self, call: str, arguments: Mapping[str, Any]) -> Iterable[Json]:
        ask = account.ask_pages
        return map(dict, self._sent(lambda: ask(self._client(call), call, **arguments)))

    def _sent(self, send: Callable[[], T]) -> T:
        """The answer, with credentials that were renewed in the meantime: a run takes hours."""
        try:
            return send()
        except account.NoCredentials:
            account.look_again()
            self._clients.clear()
            return send()

    def _client(self, call: str) -> Any:
        service = call.partition(":")[0]
        if service not in self._clients:
            self._clients[service] = account.clients(service, self.region)
        return self._clients[service]


@dataclass
class World:
    """What a deployment asks and changes."""

    region: str
    transport: Transport
    screen: Screen
    clock: Clock = time
    programs: Programs = field(default_factory=Installed)
    minutes: int | None = None
    """How long to wait for each step, in place of its own limit."""

    def ask(self, call: str, needed: str = "", **arguments: Any) -> Json | None:
        """The answer; None if the service itself says that there is no such thing.

        ``needed`` is a member that every answer has.

        :raises Stop: if there is no answer: nobody may conclude from that that something is gone.
        """
        return self.allowed(None, call, needed, **arguments)

    def ask_all(
        self, call: str, member: str, needed: str = "", **arguments: Any
    ) -> list[Any] | None:
        """A list from all pages of the answer; None as in :meth:`ask`.

        ``needed`` is a member that an answer has, also if the list is empty.
        """
        words = self.command(call, arguments)
        pages = self.asked(words, self._pages(call, arguments))
        if pages is not None and needed and all(needed not in page for page in pages):
            raise nothing(words)
        return None if pages is None else [each for page in pages for each in page.get(member, ())]

    def need(self, call: str, path: str, **arguments: Any) -> Any:
        """A member that the answer has if there is one; None as in :meth:`ask`."""
        answer = self.ask(call, **arguments)
        if answer is None:
            return None
        found = at(answer, path)
        if found is None:
            raise nothing(self.command(call, arguments))
        return found

    def allowed(
        self, doubts: list[str] | None, call: str, needed: str = "", **arguments: Any
    ) -> Json | None:
        """As :meth:`ask`, where a deployment can do without an answer.

        ``doubts`` gets the reason if the caller may not ask, or cannot reach the service; without
        it, that ends the run.
        """
        words = self.command(call, arguments)
        answer = self.asked(words, self._sends(call, arguments), doubts)
        if answer is not None and needed and needed not in answer:
            raise nothing(words)
        return answer

    def allowed_all(self, doubts: list[str], call: str, member: str, **arguments: Any) -> list[Any]:
        """As :meth:`allowed`, a list from all pages; empty without an answer."""
        pages = self.asked(self.command(call, arguments), self._pages(call, arguments), doubts)
        return [each for page in pages or () for each in page.get(member, ())]

    def _sends(self, call: str, arguments: Mapping[str, Any]) -> Callable[[], Json]:
        return lambda: self.transport.send(call, arguments)

    def _pages(self, call: str, arguments: Mapping[str, Any]) -> Callable[[], list[Json]]:
        return lambda: list(self.transport.pages(call, arguments))

    def asked(
        self, words: Sequence[str], answer: Callable[[], T], doubts: list[str] | None = None
    ) -> T | None:
        """As :meth:`ask`, of a command in ``words`` that ``answer`` runs; ``doubts`` as there."""
        for attempt in itertools.count(1):
            try:
                return answer()
            except CallError as error:
                if is_missing(error):
                    return None
                _stop_without_credentials(error)
                if self._waits(error, attempt, optional=doubts is not None):
                    continue
                if doubts is not None and isinstance(error, account.Denied | account.Unreachable):
                    doubts.append(str(error))
                    return None
                raise Stop(
                    f"this AWS command failed: {printing.line(words)}. Fix what it reports, and "
                    "run this again.",
                    str(error),
                ) from None
        raise AssertionError

    def change(self, call: str, **arguments: Any) -> Json:
        """Show a call that changes something, and send it.

        :raises Stop: if the service refuses it, or it is not known whether it did.
        """
        return self.changed(self.command(call, arguments), self._sends(call, arguments))

    def send_file(
        self, call: str, request: Mapping[str, Any], path: str, beside: Mapping[str, Any] = {}
    ) -> Json:
        """As :meth:`change`, of a request that is also in a file, by its path in the bundle.

        ``beside`` has the members that are not in the file.
        """
        given = printing.FileRequest(request, path, beside)
        return self.changed(self.command(call, given), self._sends(call, given))

    def changed(self, words: Sequence[str], send: Callable[[], T]) -> T:
        """As :meth:`change`, by a command in ``words`` that ``send`` runs."""
        self.screen.command(words)
        for attempt in itertools.count(1):
            try:
                return send()
            except CallError as error:
                _stop_without_credentials(error)
                # The service has not done what it did not accept.
                if isinstance(error, account.Throttled) and self._waits(error, attempt):
                    continue
                raise Stop(
                    f"this AWS command failed: {printing.line(words)}. Fix what it reports, and "
                    f"{AGAIN}: it continues from there.",
                    str(error),
                ) from None
        raise AssertionError

    def _waits(self, error: CallError, attempt: int, *, optional: bool = False) -> bool:
        """Wait after an error that may not come again; False if it is not one, or comes often."""
        unreachable = isinstance(error, account.Unreachable)
        few = unreachable and (optional or "onnect timeout" in str(error))
        passing = (
            unreachable or isinstance(error, account.Throttled) or error.code.startswith(_PASSING)
        )
        if not passing or attempt >= (_TRIES_WITHOUT_CONNECTION if few else _TRIES):
            return False
        if attempt == 1:
            self.screen.note(f"AWS did not answer, so this tries again: {error}")
        self.clock.sleep(PAUSE_SECONDS)
        return True

    def wait(self, minutes: int, what: str, done: Callable[[], T | None], again: str = AGAIN) -> T:
        """Ask until ``done`` returns something true, and return that.

        :raises Stop: after so many minutes.
        """
        limit = minutes if self.minutes is None else self.minutes
        for waited in itertools.count(0, PAUSE_SECONDS):
            if found := done():
                self.screen.progress("")
                return found
            if waited == 0:
                self.screen.note(f"Waiting for {what}, up to {limit} minutes.")
            if waited >= limit * 60:
                raise Late(
                    f"{what} is not done after {limit} minutes. AWS continues: {again} to wait for "
                    "it again."
                )
            self.screen.progress(f"{what}: {waited // 60} of {limit} minutes")
            self.clock.sleep(PAUSE_SECONDS)
        raise AssertionError

    def settled(
        self, minutes: int, what: str, status: Callable[[], str], runs: Callable[[str], bool]
    ) -> str:
        """A status, which may be empty, once it says that no operation runs."""

        def ended() -> tuple[str] | None:
            found = status()
            return None if runs(found) else (found,)

        return self.wait(minutes, what, ended)[0]

    def is_gone(self, exists: Callable[[], object]) -> bool:
        """Whether three answers, five seconds apart, say that something does not exist."""
        for attempt in range(3):
            if attempt:
                self.clock.sleep(5)
            if exists():
                return False
        return True

    def require(self, *programs: str) -> None:
        """Stop at a program that is not there."""
        for name in programs:
            if not self.programs.has(name):
                raise Stop(f"{name} is required, but not on PATH: install it, and run this again.")

    def command(self, call: str, arguments: Mapping[str, Any]) -> list[str]:
        """A call as a command of the AWS CLI."""
        return printing.aws(call, arguments, self.region)


def nothing(words: Sequence[str]) -> Stop:
    """Of an answer that lacks what every answer has."""
    command = printing.line(words)
    return Stop(f"AWS answered this with nothing: {command}. Run this again.")


def at(answer: Any, path: str) -> Any:
    """A value by its dotted path, with numbers for items; None where there is none."""
    for step in path.split("."):
        if isinstance(answer, list):
            answer = answer[int(step)] if int(step) < len(answer) else None
        else:
            answer = answer.get(step) if isinstance(answer, Mapping) else None
    return answer


def is_missing(error: CallError) -> bool:
    """Whether the service says that something does not exist: nothing else means that."""
    if error.code.startswith(_MISSING):
        return True
    # CloudFormation has no code of its own for it.
    return error.code == "ValidationError" and "does not exist" in str(error)


def _stop_without_credentials(error: CallError) -> None:
    if isinstance(error, account.NoCredentials):
        raise Stop(
            "AWS does not accept these credentials (any more). Renew them, and run the same "
            "command again: AWS continues what has begun, and this waits for it again.",
            str(error),
        ) from None
