"""Questions that a deployment asks, answered wrongly: no harm, no false success.

Each action of each target is played once as it should go. Then its calls get the wrong answers of
`FAULTS`, in the same account. A run that changed something is then continued.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from clustergen.deployment.model import Mark
from clustergen.services.aws import marks
from tests.support.cloud.account import EXPIRED, INTERRUPTED, THROTTLED, Account
from tests.support.cloud.commands import Bundle, reaching
from tests.support.cloud.moments import Exactly, Moment, has_pages, key, state
from tests.support.cloud.stacks import Stack
from tests.targets.test_deployments import STORAGE, TARGETS, files

OFTEN: Final = 999
# Some polls, where a deployment waits for hours.
WAIT: Final = ("--wait", "6")

DENIED: Final = ("AccessDeniedException", "not authorized to perform this")
FAULTS: Final[dict[str, Callable[[str, int], Exactly]]] = {
    "denied": lambda call, after: Exactly(call, *DENIED, OFTEN, after),
    "throttled": lambda call, after: Exactly(call, *THROTTLED, OFTEN, after),
    "expired": lambda call, after: Exactly(call, *EXPIRED, OFTEN, after, lasting=True),
    "empty": lambda call, after: Exactly(call, "", "", OFTEN, after),
    "on the second page": lambda call, after: Exactly(call, "", "", OFTEN, after, second=True),
    "odd": lambda call, after: Exactly(call, "OddException", "of no known kind", OFTEN, after),
    "interrupted": lambda call, after: Exactly(call, *INTERRUPTED, 1, after),
    "interrupted late": lambda call, after: Exactly(call, *INTERRUPTED, 1, after, done=True),
    "no second page": lambda call, after: Exactly(call, *THROTTLED, OFTEN, after, second=True),
}

CHANGED: Final = STORAGE.replace("/home", "/data") + "tags: {team: research}\n"
LOSING: Final = STORAGE.replace("500}", "500, efa: true}")


@dataclass(frozen=True, slots=True)
class Scene:
    """An action in an account as another scene left it."""

    name: str
    start: str
    action: tuple[str, ...]
    text: str = ""
    """The spec, if it was edited."""
    given: Callable[[Account, str], bool] = lambda _account, _target: True
    """What others did to the account; False where this cannot be."""
    why: str = ""
    """The message for an action that has to stop before it changes anything."""
    reads: bool = False
    """Whether it changes nothing anyway."""

    @property
    def refused(self) -> bool:
        return bool(self.why)

    def words(self, target: str) -> tuple[str, ...]:
        """The options; after the last one, the node where it is about one."""
        return (*self.action, *([NODES[target]] if "--node" in self.action else []))


NODES: Final = {
    "pcs": "i-pcs-h200-0-0",
    "eks": "i-h200-0",
    "batch": "i-batch",
    "parallelcluster": f"i-{0:017x}",
    "hyperpod-slurm": "i-h200",
    "hyperpod-eks": "i-h200",
}


def has_nodes(account: Account, target: str) -> bool:
    account.batch.instances, account.pcluster.nodes = [NODES["batch"]], {"h200": 1}
    return True


def runs_commands(account: Account, target: str) -> bool:
    return has_nodes(account, target) and target != "hyperpod-slurm"


def is_tested(account: Account, target: str) -> bool:
    """Batch has a script for it."""
    account.printed = "# Out of bounds values : 0 OK\nSelected provider is efa"
    return runs_commands(account, target) and target != "batch"


def refers(account: Account, target: str) -> bool:
    value = account.output("ClusterSecurityGroupId")
    account.cloudformation.stacks["other"] = Stack("other", "CREATE_COMPLETE", THEIRS)
    account.cloudformation.stacks["other"].parameters = {"Given": value}
    return True


def attaches(account: Account, target: str) -> bool:
    interface = {"NetworkInterfaceId": "eni-1", "Attachment": {"InstanceId": "i-1"}}
    account.interfaces.append(interface)
    return True


def joins(account: Account, target: str) -> bool:
    source = f"s3://{account.output('ScriptsBucketName')}/lifecycle"
    account.clusters_of_others["other"] = {"ClusterArn": source}
    return True


def forgets(account: Account, target: str) -> bool:
    """CloudFormation would delete what the bundle says is kept."""
    stack = account.cloudformation.stacks["example-foundation"]
    stack.template = json.loads(json.dumps(stack.template))
    for resource in stack.resources.values():
        if resource["Type"].endswith("::FileSystem"):
            resource.pop("DeletionPolicy", None)
    return True


def adds(account: Account, target: str) -> bool:
    """Others have a node group in the cluster."""
    ours = {"pcs": account.pcs.groups, "eks": account.eks.groups}.get(target)
    if ours:
        ours["theirs"] = type(next(iter(ours.values())))("theirs", 3, 8, 3)
    elif target.startswith("hyperpod"):
        account.hyperpod.groups["theirs"] = account.hyperpod.current["theirs"] = 3
    return target not in ("parallelcluster", "batch")


def is_anothers(account: Account, target: str) -> bool:
    """A stack of the bundle is one of others."""
    stacks = account.cloudformation.stacks
    stack = stacks.get(f"example-{target}") or stacks.get("example-eks")
    return _give_away(account, stack.name if stack else "example-foundation")


def has_foundation_of_others(account: Account, target: str) -> bool:
    return _give_away(account, "example-foundation")


def _give_away(account: Account, name: str) -> bool:
    template = marks.marked(THEIRS, Mark("theirs", "foundation"))
    account.cloudformation.stacks[name] = Stack(name, "CREATE_COMPLETE", template)
    return True


def deploys_while_paused(account: Account, target: str) -> bool:
    return target in {"pcs", "eks", "batch"}


THEIRS: Final = {"Description": "Databases", "Resources": {}}
_USED, _GONE, _FOREIGN = "still use", ("--destroy-foundation",), "is not this bundle's"
SCENES: Final = (
    Scene("deploy", "", ()),
    Scene("change", "deploy", ("--allow-replacement",), CHANGED),
    Scene("status", "deploy", ("--status",), reads=True),
    Scene("logs", "deploy", ("--logs",), reads=True),
    Scene("test", "deploy", ("--test",), given=is_tested),
    Scene("drain", "deploy", ("--drain", "--node"), given=runs_commands),
    Scene("replace", "deploy", ("--replace", "--yes", "--node"), given=has_nodes),
    Scene("lossy change", "deploy", (), LOSING, why="would replace StorageFsx"),
    Scene("pause", "deploy", ("--pause",)),
    Scene("deploy while paused", "pause", (), given=deploys_while_paused, why="is paused"),
    Scene("resume", "pause", ("--resume",)),
    Scene("foundation in use", "deploy", _GONE, why=_USED),
    Scene("foundation of a pause", "pause", _GONE, why=_USED),
    Scene(
        "destroy with nodes of others", "deploy", ("--destroy",), given=adds, why="this bundle's"
    ),
    Scene("destroy", "deploy", ("--destroy",)),
    Scene("foundation of a stack", "destroy", _GONE, given=refers, why=_USED),
    Scene("foundation of an interface", "destroy", _GONE, given=attaches, why=_USED),
    Scene("foundation of HyperPod", "destroy", _GONE, given=joins, why=_USED),
    Scene("foundation with data", "destroy", _GONE, given=forgets, why="does not keep Storage"),
    Scene("foundation", "destroy", _GONE),
    Scene("deploy to others", "", (), given=has_foundation_of_others, why=_FOREIGN),
    Scene("change of others", "deploy", (), CHANGED, given=is_anothers, why=_FOREIGN),
    Scene("pause of others", "deploy", ("--pause",), given=is_anothers, why=_FOREIGN),
    Scene("destroy of others", "deploy", ("--destroy",), given=is_anothers, why=_FOREIGN),
    Scene("foundation of others", "destroy", _GONE, given=has_foundation_of_others, why=_FOREIGN),
)

# Questions whose empty answer is a usual one: it says that there is nothing of a kind, such as an
# output that a stack which was adopted lacks. Changes often have no other answer.
LISTS: Final = re.compile(
    r" (list|describe-(log-groups|network-interfaces|instances|security-groups|stack-events))"
    r"|get-stack-policy|--query .*\[\]|\[\?OutputKey"
)
_CHANGES: Final = re.compile(
    r"^aws [\w -]*? (create|delete|update|put|execute|set|scale|associate|tag|cancel|terminate)-"
    r"|^aws [\w -]*? (add-tags|batch-replace-\S+|send-\S+|(de)?register-\S+)"
    r"|^aws [\w -]*? s3 (rm|mv|cp (?!.* -$))|^pcluster (create|update|delete)"
    r"|^kubectl .*\b(apply|cordon|delete|patch|annotate|label|scale)\b"
    r"|^helm (upgrade|uninstall|install)|^aws \S+ \S+ s3 cp"
)
# What only tidies up, writes down what is, or adds a file whose key is the hash of its text.
_HARMLESS: Final = re.compile(
    r" (delete|create)-change-set |--dry-?run|/paused|\.json -$|update-kubeconfig"
    r"|s3://[^/]+/[0-9a-f]{16}/|--key [0-9a-f]{16}/"
)
_ASKED: Final = ("aws ", "pcluster ", "kubectl ", "helm ")
# What the last line must offer.
_WAY_OUT: Final = re.compile(
    r"run (this|deploy\.sh|the\s+same|install|`)|again|--allow|Renew|delete|check|give|see|ask|Fix|kubernetes\.",  # noqa: E501
    re.IGNORECASE,
)
_CRASH: Final = re.compile(r"line \d+: .*|Traceback[\s\S]*")


def changes(calls: list[str]) -> list[str]:
    """Each change once, in the order of the first ones."""
    found = (key(c) for c in calls if _CHANGES.search(c) and not _HARMLESS.search(c))
    return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Good:
    """How it goes with right answers."""

    scene: Scene
    action: tuple[str, ...]
    moment: Moment
    changes: list[str]
    state: dict[str, Any]
    calls: list[str]


def walk(bundle: Bundle, target: str) -> Iterator[Good]:
    """Plays all scenes as they should go, and returns to the end of each."""
    moments = {"": Moment.of(bundle)}
    for scene in SCENES:
        account = moments[scene.start].again()
        if not scene.given(account, target):
            continue
        if scene.text:
            bundle.render(files(target, scene.text))
        before = Moment.of(bundle)
        action = scene.words(target)
        done = bundle.deploy(*action, *WAIT)
        if scene.refused:
            assert (done.returncode, scene.why in done.stderr) == (2, True), done.stderr
        else:
            assert done.returncode == 0, done.stderr
        moments[scene.name] = Moment.of(bundle)
        calls = list(account.calls)
        assert bool(changes(calls)) != (scene.refused or scene.reads), calls
        yield Good(scene, action, before, changes(calls), state(account), calls)


def questions(calls: list[str]) -> list[str]:
    return [call for call in dict.fromkeys(map(key, calls)) if call.startswith(_ASKED)]


def is_possible(fault: str, call: str) -> bool:
    if fault == "empty":
        return not (LISTS.search(call) or _CHANGES.search(call))
    if fault == "denied" or (call.startswith("aws ") and fault == "expired"):
        return True
    if "page" in fault:
        return has_pages(call)
    return not call.startswith(("kubectl ", "helm "))


def harm(good: Good, done: Any, account: Account, fault: Exactly) -> str:
    """What an answer did that it should not have done."""
    empty = tuple(f"delete-stack --stack-name {name}" for name in account.cloudformation.empty)
    made = [each for each in changes(account.calls) if not each.endswith(empty)]
    if extra := [each for each in made if each not in good.changes]:
        return f"changes more: {extra}"
    if made != [each for each in good.changes if each in made]:
        return f"changes in another order: {made}"
    if crash := _CRASH.search(done.stderr):
        return f"crashes: {crash[0]}"
    if done.returncode == 0:
        if good.scene.refused:
            return "is not refused any more"
        return "says that it is done" if state(account) != good.state else ""
    if good.scene.refused and good.scene.why in done.stderr:
        return ""
    # The pcluster command prints errors on stdout.
    if fault.message not in done.stdout + done.stderr:
        return "does not say what failed"
    lines = done.stderr.strip().splitlines() or [""]
    return "" if _WAY_OUT.search(lines[-1]) else f"says only: {lines[-1]}"


def left_open(account: Account, fault: Exactly) -> str:
    """The change sets that a run has left, and the empty stacks, where it could delete them."""
    stacks = account.cloudformation.stacks.values()
    found = [each.name for each in stacks if each.change_sets]
    if not re.search("describe-stacks|delete-stack", fault.words):
        found += [each.name for each in stacks if each.status == "REVIEW_IN_PROGRESS"]
    if not found or fault.lasting or "delete-change-set" in fault.words:
        return ""
    return f"leaves change sets of {found}"


def continued(good: Good, bundle: Bundle) -> str:
    """What a later run without a fault does not do."""
    bundle.account.faults.clear()
    done = bundle.deploy(*good.action, *WAIT)
    if "since a --resume, deploy.sh waits for them" in done.stderr:
        done = bundle.deploy(*WAIT)
    if done.returncode:
        return f"cannot be continued: {done.stderr.strip().splitlines()[-1]}"
    found = state(bundle.account)
    wrong = [part for part in found if found[part] != good.state[part]]
    return f"is continued wrongly: {wrong}" if wrong else ""


def problems(bundle: Bundle, played: list[Good], every: int) -> Iterator[str]:
    """What goes wrong after one of so many of these wrong answers."""
    ends = {good.scene: [good.state, state(good.moment.account)] for good in played}
    plays = [(good, *play) for good in played for play in every_play(good)]
    for good, call, name, after in plays[::every]:
        account = good.moment.again()
        fault = FAULTS[name](call, after)
        account.faults.append(fault)
        done = bundle.deploy(*good.action, *WAIT)
        problem = harm(good, done, account, fault) or left_open(account, fault)
        end = state(account)
        if not problem and not good.scene.refused and end not in ends[good.scene]:
            ends[good.scene].append(end)
            problem = continued(good, bundle)
        if problem:
            yield f"{good.scene.name}: {name}: {call}\n  {problem}\n"


def every_play(good: Good) -> Iterator[tuple[str, str, int]]:
    """The first and the last time that each call is made, with each wrong answer."""
    for call in questions(good.calls):
        often = sum(key(each) == call for each in good.calls)
        for name in (each for each in FAULTS if is_possible(each, call)):
            yield from ((call, name, after) for after in {0, often - 1})


# A prime, so that it meets each wrong answer at other calls.
@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.repeated()), 61])
@pytest.mark.parametrize("target", TARGETS)
def test_no_wrong_answer_does_harm(target: str, every: int, tmp_path: Path) -> None:
    with reaching(tmp_path, files(target, STORAGE)) as bundle:
        played = list(walk(bundle, target))
        assert sum(1 for good in played for _ in every_play(good)) > 1000
        found = list(problems(bundle, played, every))
    assert found == [], "".join(found)
