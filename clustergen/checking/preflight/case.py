"""What the checks look at: a plan, and the answers of the account."""

import datetime
import json
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from clustergen.base import account
from clustergen.base.account import Answer, Clients
from clustergen.plan.model import Plan, Traits

IDENTITY: Final = "sts:GetCallerIdentity"
"""The first call: without credentials, no other has an answer."""


@dataclass(frozen=True, slots=True)
class Account:
    """The account in one region. Checks in several threads share its answers."""

    region: str
    clients: Clients
    _answers: dict[str, Future[Any]] = field(default_factory=dict)
    _made: dict[str, Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, call: str, *, pages: bool, **arguments: Any) -> Any:
        """The answer to a call, or its pages; each call is made once.

        :raises CallError: if there is none, also where an earlier call had none.
        """
        key = f"{call} {json.dumps(arguments, sort_keys=True)}"
        with self._lock:
            known = self._answers.get(key)
            future: Future[Any] = known or self._answers.setdefault(key, Future())
        if known is None:
            ask = account.ask_pages if pages else account.ask
            try:
                future.set_result(ask(self._client(call), call, **arguments))
            except BaseException as error:
                future.set_exception(error)
        return future.result()

    def _client(self, call: str) -> Any:
        service = call.partition(":")[0]
        with self._lock:  # botocore creates one client at a time
            if service not in self._made:
                self._made[service] = self.clients(service, self.region)
            return self._made[service]


@dataclass(frozen=True, slots=True)
class Case:
    """What one check looks at."""

    plan: Plan
    traits: Traits
    account: Account
    now: datetime.datetime
    calls: tuple[str, ...]
    """The calls that the rule declares, from which the policy comes."""

    @property
    def region(self) -> str:
        return self.plan.region

    def ask(self, call: str, **arguments: Any) -> Answer:
        """The answer to a call; raises CallError if there is none."""
        self._declared(call)
        answer: Answer = self.account.answer(call, pages=False, **arguments)
        return answer

    def find(self, call: str, **arguments: Any) -> Answer | None:
        """The answer to a call; None if the resource does not exist.

        :raises CallError: if there is none for another reason.
        """
        try:
            return self.ask(call, **arguments)
        except account.Missing:
            return None

    def every(self, call: str, member: str, **arguments: Any) -> list[Any]:
        """The items of ``member`` on all pages of an answer; raises CallError if there is none."""
        self._declared(call)
        pages = self.account.answer(call, pages=True, **arguments)
        return [item for page in pages for item in page.get(member, ())]

    def _declared(self, call: str) -> None:
        if call not in self.calls:
            raise AssertionError(f"{call} is not among the calls of the rule")
