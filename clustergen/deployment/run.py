"""One run of a deployment: what it deploys, where, and what the user has said."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.deployment.changes import Guard
from clustergen.deployment.model import Bundle, Stack
from clustergen.deployment.world import Stop, World

FILLED: Final = ".filled"
"""The folder for what a run writes into the bundle."""

KINDS: Final = frozenset({"replaces-resource", "replaces-nodes", "removes-nodes"})
"""What a user may consent to."""

SOFTWARE: Final = ("install", "uninstall")
"""The actions that change only what runs in a cluster of Kubernetes."""

Outputs = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants, besides the action."""

    action: str = "deploy"
    outputs: Path | None = None
    """A file with the outputs of a foundation that stays as it is."""
    allowed: Collection[str] = ()
    """The kinds of :class:`Guard` that the user has consented to."""
    new_image: bool = False
    yes: bool = False
    """Whether a deletion needs no other consent."""
    asks: Callable[[str], str] | None = None
    """Asks the user a question; None without a terminal."""
    plan: bool = False
    """Whether the changes are only reviewed."""
    rehearses: bool = False
    """Whether nobody is asked, and nothing is written."""
    context: str = ""
    """A context of kubectl's own configuration that reaches the cluster."""
    node: str = ""
    """The node, or the node group, that the action is about; empty for all."""

    def rehearsed(self) -> Options:
        """The same for a dry run, which needs no consent."""
        return replace(self, allowed=KINDS, yes=True, rehearses=True)


@dataclass
class Run:
    """What every step knows, and what it has found out about stacks."""

    bundle: Bundle
    folder: Path
    world: World
    options: Options = field(default_factory=Options)
    explain: Callable[[str, str, str], Iterable[str]] = lambda *_: ()
    """What deploying a template over an earlier one does to what runs: path, old, new."""
    proven: set[str] = field(default_factory=set)
    """Stacks that are this bundle's."""
    unmarked: set[str] = field(default_factory=set)
    """Those of them that an earlier version made, without a mark."""
    adopting: set[str] = field(default_factory=set)
    """Stacks that take over log groups which exist."""
    later: set[str] = field(default_factory=set)
    """What could not be looked at yet."""
    agreed: set[Guard] = field(default_factory=set)
    """What the user has consented to on the terminal."""
    pending: dict[str, str] = field(default_factory=dict)
    """Change sets that are not executed, by stack."""
    changed: set[str] = field(default_factory=set)
    """Stacks that this run has changed."""
    begun: set[str] = field(default_factory=set)
    """Stacks that exist for such a change set only."""

    def note(self, text: str) -> None:
        self.world.screen.note(text)

    def tell(self, error: Stop) -> None:
        """Say what stopped one step, where others follow."""
        self.note("\n".join([*error.notes, str(error)]))

    def conclude(self, text: str) -> None:
        """Say what has been done."""
        if not self.options.rehearses:
            self.note(text)

    @property
    def tags(self) -> list[Json]:
        """Those of the bundle, as requests have them."""
        return [{"Key": key, "Value": value} for key, value in self.bundle.tags.items()]

    def stack(self, role: str) -> Stack | None:
        return self.bundle.stacks.get(role)

    def text(self, path: str) -> str:
        """A file of the bundle."""
        try:
            return (self.folder / path).read_text(encoding="utf-8")
        except OSError as error:
            raise Stop(f"{path}: {error.strerror}; render the spec again") from None
        except UnicodeDecodeError:
            raise Stop(f"{path} is not text: render the spec again") from None

    def json(self, path: str, text: str | None = None) -> Json:
        """A JSON file of the bundle; ``text`` takes the place of its own."""
        found = json_of(self.text(path) if text is None else text)
        if not isinstance(found, dict):
            raise Stop(f"{path} is not JSON: render the spec again")
        return found

    def template(self, role: str) -> Json:
        """A template of the bundle; without resources where it has none."""
        stack = self.stack(role)
        found = self.json(stack.template) if stack and stack.template else {}
        return {"Resources": {}, "Outputs": {}, **found}

    @cached_property
    def foundation(self) -> Json:
        """The template of the foundation."""
        return self.template("foundation")

    @property
    def founded(self) -> bool:
        """Whether the bundle has a foundation."""
        return bool(self.foundation["Resources"])

    def filled(self, path: str) -> Path:
        """Where a run writes a file; the folder exists, and Git ignores it."""
        place = self.folder / FILLED / path
        if not self.options.rehearses:
            place.parent.mkdir(parents=True, exist_ok=True)
            (self.folder / FILLED / ".gitignore").write_text("*\n")
        return place

    def write(self, path: str, text: str, mode: int = 0o666) -> str:
        """Write a file, and return its path within the bundle; ``mode`` is that of a new file."""
        if not self.options.rehearses:
            place = self.filled(path)
            place.touch(mode)
            place.write_text(text, encoding="utf-8")
        return f"{FILLED}/{path}"

    def last_known(self, path: str, text: str) -> str:
        """A text about what is deleted; once AWS no longer knows it, that of an interrupted run."""
        if text:
            self.write(path, text)
        file = self.filled(path)
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def agree(self, guards: Mapping[str, Iterable[Guard]]) -> None:
        """Say what the user has consented to.

        ``guards`` are those of changes of stacks, by name.

        :raises Stop: with everything that needs consent, if there is something that has none.
        """
        found = {stack: list(each) for stack, each in guards.items()}
        refused = {stack: [g for g in each if not self._may(g)] for stack, each in found.items()}
        if any(refused.values()):
            text = _refusal({stack: each for stack, each in refused.items() if each})
            stopped = {guard for each in refused.values() for guard in each}
            if any(g.kind == "refused" for g in stopped) or not self._is_yes(text):
                raise Stop(text)
            self.agreed |= stopped
        for each in (guard for guards in found.values() for guard in guards):
            self.note(f"{_option(each.kind)}: this will {each.what}.{each.why and f' {each.why}'}")

    def _is_yes(self, text: str) -> bool:
        """Whether the user answers yes; no without a terminal."""
        if self.options.asks is None:
            return False
        self.note(text)
        return self.options.asks("Continue? [y/N] ").strip().lower() in ("y", "yes")

    def confirm_deletion(self, what: str, name: str) -> None:
        """Stop unless the user consents to a deletion, by an option or by typing ``name``."""
        if self.options.yes:
            return
        what = f"{what} {name}"
        if self.options.asks is None:
            raise Stop(f"this deletes {what}. Nothing was deleted. If this is intended, add --yes.")
        typed = self.options.asks(f"This deletes {what}. To continue, type {name}: ")
        if typed.strip() != name:
            raise Stop(f"{typed.strip() or 'nothing'} is not {name}. Nothing was deleted.")

    def consents(self, kind: str) -> bool:
        """Whether the user has consented to something of a kind."""
        return kind in self.options.allowed or any(g.kind == kind for g in self.agreed)

    def _may(self, guard: Guard) -> bool:
        return guard.kind in self.options.allowed or guard in self.agreed


def _refusal(guards: Mapping[str, list[Guard]]) -> str:
    sentences = [
        f"the change would {', '.join(g.what for g in each)}."
        f"{''.join(f' {g.why}' for g in each if g.why)} Nothing was changed in {stack}."
        for stack, each in guards.items()
    ]
    kinds = dict.fromkeys(guard.kind for each in guards.values() for guard in each)
    text = " And ".join(sentences)
    if "refused" in kinds:
        return text
    return f"{text} If this is intended, add {' '.join(map(_option, kinds))}."


def _option(kind: str) -> str:
    return "--allow-replacement" if kind == "replaces-resource" else f"--allow {kind}"


def json_of(text: str) -> Any:
    """JSON; None if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
