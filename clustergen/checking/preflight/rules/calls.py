"""Why a check could not run."""

from functools import partial

from clustergen.base.findings import Rule, Severity, own_rule

GUIDE = "https://docs.aws.amazon.com/IAM/latest/UserGuide/"
common_rule = partial(Rule, severity=Severity.WARNING)

NO_CREDENTIALS = Rule(
    code="PRE001",
    title="No valid AWS credentials",
    why="Preflight asks the account with your credentials. AWS also rejects them in regions that "
    "the account has not enabled.",
    source=f"{GUIDE}troubleshoot_access-denied.html",
    could_not=True,
)
UNREACHABLE = Rule(
    code="PRE002",
    title="AWS cannot be reached",
    why="Without a connection nothing is known about the account.",
    source="https://docs.aws.amazon.com/general/latest/gr/rande.html",
    could_not=True,
)
NO_BOTOCORE = own_rule(
    code="PRE003",
    title="The library botocore is missing",
    why="Calls to AWS need it; clustergen otherwise works without.",
    could_not=True,
)
DENIED = common_rule(
    code="PRE004",
    title="A check may not make its calls",
    why="The check was skipped: what it looks for is unknown, neither right nor wrong.",
    source=f"{GUIDE}reference_policies_evaluation-logic.html",
)
THROTTLED = common_rule(
    code="PRE005",
    title="AWS throttles a check",
    why="The check was skipped after retries: what it looks for is unknown.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/throttling.html",
)
NO_ANSWER = common_rule(
    code="PRE006",
    title="A check has no answer",
    why="The check was skipped: what it looks for is unknown.",
    source="clustergen",
)
