"""Roles and permissions of nodes, what the user leaves out of them, and the directory of users."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem
from clustergen.plan.model import Plan
from clustergen.services.slurm import collecting
from clustergen.targets.parallelcluster import nodes
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.rules import note, rule, warning

_PLACE: Path = ("targets", "parallelcluster", "leave_out")


@rule(
    "IAM104",
    "Something needs the hook that is left out",
    why="Users, containers, accounts and metrics are set up by scripts that the hook runs.",
    source="clustergen",
    bad="users: [{name: alice, uid: 2001}]\ntargets: {parallelcluster: {leave_out: [hook]}}",
    good="targets: {parallelcluster: {leave_out: [hook]}}",
)
def hook(plan: Plan) -> Iterator[Problem]:
    if not plan.options_as(Options).leaves_out("hook"):
        return
    wants = {
        "users": bool(plan.users),
        "software.containers": plan.software.containers != "none",
        "slurm.accounts": bool(plan.slurm.accounts or plan.slurm.qos),
        "monitoring.metrics": collecting.wanted(plan),
    }
    for field in (field for field, wanted in wants.items() if wanted):
        yield Problem(
            _PLACE, f"{field} needs the hook", help=f"remove hook from leave_out, or remove {field}"
        )


@warning(
    "IAM105",
    "Leaving this out may cut nodes off",
    why="Nodes read their scripts with the permission that clustergen gives them. Without it, "
    "their set-up fails.",
    source="clustergen",
    bad="targets: {parallelcluster: {leave_out: [script-access]}}",
    good="targets: {parallelcluster: {leave_out: [script-access, hook]}}",
)
def cut_off(plan: Plan) -> Iterator[Problem]:
    options = plan.options_as(Options)
    if options.leaves_out("script-access") and not options.leaves_out("hook"):
        message = "the hook is in a bucket that nodes may not read"
        yield Problem(_PLACE, message, help="leave out hook as well, or keep script-access")


_DIRECTORY: Path = ("targets", "parallelcluster", "directory")
_SOURCE = "https://docs.aws.amazon.com/parallelcluster/latest/ug/DirectoryService-v3.html"
_OF_IMAGES = ("/etc/ssl/", "/etc/pki/")
_SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:ldap-Ab12Cd"  # noqa: S105 an ARN
_EXISTING = "network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}\n"


def _spec(more: str = "") -> str:
    return (
        "targets: {parallelcluster: {directory: {domain: corp.example.com, "
        f"address: 'ldaps://corp.example.com', secret: '{_SECRET}', "
        f"read_only_user: 'cn=reader,dc=corp'{more}}}}}}}"
    )


@note(
    "NET113",
    "Directory that a new network may not reach",
    why="A new VPC has routes to the internet only, and resolves public names. Nodes look up users "
    "in the directory; without an answer, nobody logs in and jobs do not start.",
    source=_SOURCE,
    bad=_spec(),
    good=_EXISTING + _spec(),
)
def unreachable(plan: Plan) -> Iterator[Problem]:
    directory = plan.options_as(Options).directory
    if directory and plan.network.new:
        yield Problem(
            (*_DIRECTORY, "address"),
            f"the new VPC has no route to {directory.address} if that is private",
            help="write network.vpc with a network that reaches it, or connect the new one before "
            "the cluster is created: deploy the foundation, add the route and the resolver rule",
        )


@warning(
    "IAM107",
    "Connection to a directory that is not secure",
    why="With ldap, passwords cross the network in plain text. SSSD sends them only if its setting "
    "ldap_auth_disable_tls_never_use_in_production is true. If it accepts "
    "any certificate, another server can pretend to be the directory.",
    source=_SOURCE,
    bad=_EXISTING + _spec().replace("ldaps", "ldap"),
    good=_EXISTING + _spec(),
)
def plain_text(plan: Plan) -> Iterator[Problem]:
    directory = plan.options_as(Options).directory
    if directory is None:
        return
    protocol, named, _ = directory.address.partition("://")
    if not named or protocol not in ("ldap", "ldaps"):
        message = f"{directory.address} does not begin with ldaps://"
        yield Problem((*_DIRECTORY, "address"), message, help="write ldaps://")
    if directory.require_certificate not in ("hard", "demand"):
        path = (*_DIRECTORY, "require_certificate")
        message = f"{directory.require_certificate} accepts servers without a valid certificate"
        yield Problem(path, message, help="write hard")
    if protocol == "ldap":
        tls = directory.sssd.get("ldap_auth_disable_tls_never_use_in_production")
        sent = "passwords are sent in plain text" if tls in (True, "true") else "nobody can log in"
        message = f"{directory.address} does not encrypt, so {sent}"
        yield Problem((*_DIRECTORY, "address"), message, help="write ldaps://")


@note(
    "IMG108",
    "Certificate of a directory that nodes may not have",
    why="ca_certificate is a path on every node. ParallelCluster does not copy the file, and SSSD "
    "connects to no server whose certificate it cannot verify.",
    source=_SOURCE,
    bad=_spec(", ca_certificate: /opt/certificates/corp.pem"),
    good=_spec(", ca_certificate: /etc/ssl/certs/ca-certificates.crt"),
)
def certificate(plan: Plan) -> Iterator[Problem]:
    directory = plan.options_as(Options).directory
    path = directory.ca_certificate if directory else None
    if not path or path.startswith(_OF_IMAGES) or nodes.common_image(plan):
        return
    if any(script.when == "start" for script in plan.software.scripts):
        return
    yield Problem(
        (*_DIRECTORY, "ca_certificate"),
        f"{path} is not in AWS's images",
        help="add an image that has it, or a script in software.scripts with when: start, on all "
        "nodes, that downloads it and restarts sssd",
    )


@rule(
    "IAM106",
    "Setting of SSSD that ParallelCluster does not accept",
    why="ParallelCluster sets SSSD up for LDAP: it looks up users there, and with access_filter it "
    "asks there who may log in.",
    source="pcluster.validators.directory_service_validators: AdditionalSssdConfigsValidator",
    bad=_spec(", sssd: {id_provider: ad}"),
    good=_spec(", sssd: {enumerate: true}"),
)
def sssd(plan: Plan) -> Iterator[Problem]:
    directory = plan.options_as(Options).directory
    if directory is None:
        return
    for name in ("id_provider", "access_provider"):
        value = directory.sssd.get(name, "ldap")
        if value != "ldap" and (name == "id_provider" or directory.access_filter):
            path = (*_DIRECTORY, "sssd", name)
            yield Problem(path, f"{name} is {value}", help=f"write {name}: ldap, or remove it")
