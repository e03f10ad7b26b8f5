"""The permissions boundary of the roles in a bundle: what all of them together may do."""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase

from clustergen.analysis.policy import facts, parallelcluster, scopes
from clustergen.analysis.policy.documents import templates
from clustergen.analysis.policy.statement import statement
from clustergen.base.artifacts import Bundle, Json
from clustergen.plan.model import Plan
from clustergen.services.aws import iam


def boundary(plan: Plan, bundle: Bundle, *, account: str = "*") -> tuple[Json, list[str]]:
    """The document, in one policy as IAM requires, and the policies that it cannot know.

    Each role may do only what its own policies allow as well, so the boundary names no resources,
    except the roles that may be passed on.
    """
    found = templates(bundle)
    resources = [r for template in found for r in template["Resources"].values()]
    attached = (each for r in resources for each in _attached(r))
    arns = sorted({scopes.text(each) or json.dumps(each) for each in attached})
    known = {arn: facts.managed(arn.rpartition("/")[2]) for arn in arns}
    actions = {a for r in resources for a in _allowed(r)}
    actions |= {action for allowed in known.values() for action in allowed or ()}
    if plan.target == "parallelcluster":
        actions |= {*parallelcluster.NODES, *(facts.managed("CloudWatchAgentServerPolicy") or ())}
    names = scopes.names(plan, bundle, found, account)
    statements = [
        statement("Roles", _covered(actions - {"iam:PassRole"})),
        statement("PassRoles", ["iam:PassRole"], names.arns("iam:role")),
    ]
    unknown = [arn for arn, allowed in known.items() if allowed is None]
    return iam.document(each.document for each in statements), unknown


def _attached(resource: Json) -> Iterator[object]:
    if resource["Type"] == "AWS::IAM::Role":
        yield from resource["Properties"].get("ManagedPolicyArns", ())


def _allowed(resource: Json) -> Iterator[str]:
    """The actions in the policies of a role, and in policies for roles that others make."""
    properties = resource.get("Properties", {})
    documents = [p["PolicyDocument"] for p in properties.get("Policies", ())]
    if resource["Type"] in ("AWS::IAM::ManagedPolicy", "AWS::IAM::Policy"):
        documents.append(properties["PolicyDocument"])
    for document in documents if resource["Type"].startswith("AWS::IAM::") else ():
        for each in document["Statement"]:
            actions = each["Action"] if each["Effect"] == "Allow" else ()
            yield from [actions] if isinstance(actions, str) else actions


def _covered(actions: set[str]) -> list[str]:
    """The actions, without those that a pattern among them stands for."""
    patterns = [action for action in actions if "*" in action]
    covered = {a for a in actions for p in patterns if p != a and fnmatchcase(a, p)}
    return sorted(actions - covered)
