"""The form of specs: findings, their places, and what to write instead."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from clustergen.base import resources
from clustergen.base.findings import EXAMPLE_BASE, Finding, errors
from clustergen.spec import parse
from clustergen.spec.model import Spec
from clustergen.spec.schema import schema
from clustergen.spec.source import merge, read_text
from tests.support.checking import EVERY_FIELD, EVERY_TARGET, check_for_all, document_of
from tests.support.tables import rows
from tests.support.tiers import share
from tools.spec.declared import language


def _merged(fragment: str) -> Any:
    """The example spec with a fragment over it, as data."""
    return merge(document_of(EXAMPLE_BASE).data, document_of(fragment).data)


def findings_of(fragment: str) -> list[Finding]:
    """The findings on the form of a fragment over the example spec, each with its position."""
    document = document_of(json.dumps(_merged(fragment)))
    return [document.place(finding) for finding in parse(document)[1]]


GROUP, STORE = "node_groups: [{name: h200, %s}]", "storage: [{mount: /fsx, %s}]"
LUSTRE = STORE % "type: fsx-lustre, size: 4800GiB, %s"

KEYS = [
    ("taggs: {a: b}", "taggs", "did you mean `tags`?"),
    ("network: {zones: use1-az6}", "zones", "did you mean `zone`?"),
    ("login: {type: m7i.xlarge}", "type", "known here: count, iam, image, "),
    ("head_node: {root_volume: {sise: 1GiB}}", "sise", "did you mean `size`?"),
    ("head_node: {count: 2}", "count", "HyperPod has several: targets.hyperpod-slurm.controllers"),
    (GROUP % "instancetype: p5.48xlarge", "instancetype", "did you mean `instance_type`?"),
    (GROUP % "count: {minimum: 1, max: 2}", "minimum", "did you mean `min`?"),
    (
        GROUP % "capacity: {capacity-block: cr-0a1b2c3d}",
        "capacity-block",
        "did you mean `capacity_block`?",
    ),
    (GROUP % "placement: {name: mine}", "name", "known here: group"),
    (GROUP % "minCount: 1", "minCount", "write count: {min: 0, max: 8}"),
    (GROUP % "desired_capacity: 1", "desired_capacity", "write count: {min: 0, max: 8}"),
    (GROUP % "ami: ami-0a1b2c3d", "ami", "write image: ami-..."),
    (GROUP % "diskSize: 200", "diskSize", "write root_volume: {size: 200GiB}"),
    ("slurm: {accounting: {host: db}}", "host", "write endpoint"),
    (GROUP % "taints: [{kee: a}]", "kee", "did you mean `key`?"),
    ("queues: [{name: a, nodegroups: [h200]}]", "nodegroups", "did you mean `node_groups`?"),
    (STORE % "type: efs, thruput: 3", "thruput", "did you mean `throughput`?"),
    (STORE % "type: efs, drive_cache: true", "drive_cache", "known here: backups, created_by, "),
    (LUSTRE % "througput: 250", "througput", "did you mean `throughput`?"),
    (LUSTRE % "existing: {ids: fs-0a1b2c3d}", "ids", "did you mean `id`?"),
    (
        LUSTRE % "data_repositories: [{path: /a, s3: s3://abc, imports: [new]}]",
        "imports",
        "did you mean `import`?",
    ),
    ("software: {script: []}", "script", "did you mean `scripts`?"),
    ("users: [{name: a, uid: 2001, sshkey: x}]", "sshkey", "did you mean `ssh_key`?"),
    ("slurm: {accounting: {endpont: db}}", "endpont", "did you mean `endpoint`?"),
    ("kubernetes: {admision: none}", "admision", "did you mean `admission`?"),
    ("monitoring: {logs: 3d}", "logs", "known here: alerts, dashboards, "),
    ("resilience: {autoresume: true}", "autoresume", "did you mean `auto_resume`?"),
    ("targets: {PCS: {}}", "PCS", "did you mean `pcs`?"),
    ("targets: {hyperpod: {}}", "hyperpod", "did you mean `hyperpod-eks` or `hyperpod-slurm`?"),
    ("targets: {pcs: {sise: small}}", "sise", "did you mean `size`?"),
    ("targets: {eks: {overlays: {}}}", "overlays", "did you mean `overlay`?"),
]


@pytest.mark.parametrize(("fragment", "key", "help"), KEYS, ids=[key[1] for key in KEYS])
def test_unknown_keys(fragment: str, key: str, help: str) -> None:
    found = next(f for f in findings_of(fragment) if f.code == "SPC020")
    assert found.message == f"unknown key `{key}`"
    assert found.help.startswith(help)
    assert found.on_key
    assert found.span is not None
    assert found.span.text[found.span.column - 1 : found.span.end - 1].strip('"') == key


VALUES = rows("""
# One of a few words, whatever else the field takes.
node_groups: [{name: h200, efa: yes}]
    SPC023 | 'yes' is not one of auto, true, false | did you mean true?
node_groups: [{name: h200, efa: off}]
    SPC023 | 'off' is not one of auto, true, false | did you mean false?
node_groups: [{name: h200, efa: "true"}]
    SPC022 | true in quotes is text | write it without quotes
node_groups: [{name: h200, placement: group}]
    SPC023 | 'group' is not one of auto, cluster, none |
node_groups: [{name: h200, efa_layout: efaonly}]
    SPC023 | 'efaonly' is not | did you mean efa-only?
node_groups: [{name: h200, threads_per_core: 3}]
    SPC023 | 3 is not one of 1, 2 |
node_groups: [{name: h200, taints: [{key: a, effect: noschedule}]}]
    SPC023 | | did you mean NoSchedule?
node_groups: [{name: h200, health_checks: [gpus]}]
    SPC023 | 'gpus' is not one of gpu, | did you mean gpu?
software: {os: ubuntu}
    SPC023 | 'ubuntu' is not one of | did you mean ubuntu2404?
targets: {pcs: {size: Small}}
    SPC023 | 'Small' is not | did you mean small?
targets: {parallelcluster: {version: 3.14.0}}
    SPC023 | | did you mean 3.16.1?
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, metadata_iops: automatic}]
    SPC023 | 'automatic' is not `auto` or a whole number | did you mean auto?
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, read_cache: non}]
    SPC024 | 'non' is not | did you mean none?
slurm: {idle_timeout: nevr}
    SPC024 | 'nevr' is not a duration | did you mean never?
version: 2
    SPC023 | 2 is not 1, the only choice |
version: "1"
    SPC022 | 1 in quotes is text | write it without quotes
storage: [{mount: /fsx, type: fsx-opnzfs}]
    SPC023 | 'fsx-opnzfs' is not one of fsx-lustre, fsx-openzfs, fsx-ontap, file-cache, efs, ebs, s3
    | did you mean fsx-openzfs?
storage: [{mount: /fsx, type: FSx-Lustre}]
    SPC023 | 'FSx-Lustre' is not | did you mean fsx-lustre?
storage: [{mount: /fsx, size: 1GiB}]
    SPC021 | `type` is missing | add type: one of fsx-lustre, fsx-openzfs, fsx-ontap, file-cache,
    efs, ebs, s3
# Of another kind.
node_groups: [{name: h200, count: {max: 5.5}}]
    SPC022 | expected a whole number, found the number 5.5 |
node_groups: [{name: h200, health_checks: gpu}]
    SPC022 | expected a list, found the text | write [gpu]
node_groups: [{name: h200, root_volume: 200GiB}]
    SPC022 | expected a mapping, found the text '200GiB' | write {size: 200GiB}
head_node: m7i.xlarge
    SPC022 | expected a mapping, found | write {instance_type: m7i
login: true
    SPC022 | expected a mapping, found true | write {}
kubernetes: {addons: [vpc-cni]}
    SPC022 | expected a mapping, found the text 'vpc-cni' | write {name: vpc-cni}
users: [alice]
    SPC022 | expected a mapping, found the text 'alice' | known here: name, ssh_key, uid
network: use1-az6
    SPC022 | expected a mapping, found | write {zone: use1-az6}
network: {ssh_from: 10.0.0.0/8}
    SPC022 | expected a list, found | write [10.0.0.0/8]
queues: {train: {}}
    SPC022 | expected a list, found a map | begin each item with `- `
queues: [{name: a, node_groups: [h200], default: yes}]
    SPC022 | expected true or false, found the text 'yes' | write true
storage: [/fsx]
    SPC022 | expected a mapping, found the text | write {mount: /fsx}
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250MB}]
    SPC022 | expected a whole number, found the text '250MB' | write 250
storage: [{mount: /fsx, type: efs, existing: fs-0a1b2c3d}]
    SPC022 | expected a mapping, found the text 'fs-0a1b2c3d' | write {id: fs-0a1b2c3d}
software: {scripts: [s3://b/a.sh]}
    SPC022 | expected a mapping | write {run: s3://b/a.sh}
users: [{name: alice, uid: "2001"}]
    SPC022 | expected a whole number, found the text '2001' | write 2001
tags: {team: true}
    SPC022 | expected text, found true | write "true", in quotes
tags: [a]
    SPC022 | expected a mapping, found a list | write key: value
slurm: {settings: {A: [a]}}
    SPC022 | expected text, found a list |
targets: [pcs]
    SPC022 | expected a mapping, found | write {pcs: {}}
region: 3
    SPC022 | expected text, found the number 3 | write "3", in quotes
# Missing.
node_groups: [{name: h200, count: {min: 1}}]
    SPC021 | `max` is missing | add `max: ...`: Maximum
queues: [{name: a}]
    SPC021 | `node_groups` is missing | add `node_groups: ...`: Names
slurm: {accounting: {endpoint: db}}
    SPC021 | `secret` is missing | add `secret: ...`:
# Not in its form.
name: My Cluster
    SPC024 | 'My Cluster' is not a name of letters, digits, - and _ | write my-cluster
name: -ab
    SPC024 | '-ab' is not a name of letters | write ab
node_groups: [{name: h200, image: ami-12}]
    SPC024 | 'ami-12' is not an AMI id such as ami-0a1b2c3d4e5f |
node_groups: [{name: h200, image: ubuntu2204}]
    SPC024 | 'ubuntu2204' is not an AMI id | write software: {os: ubuntu2204}, for all nodes
login: {image: Ubuntu 24.04}
    SPC024 | 'Ubuntu 24.04' is not an AMI id | write software: {os: ubuntu2404}, for all nodes
node_groups: [{name: h200, scratch: scratch}]
    SPC024 | 'scratch' is not an absolute path such as /fsx |
network: {vpc: vpc-12}
    SPC023 | 'vpc-12' is not `new` or a VPC id such as |
network: {private_subnets: [sub-1]}
    SPC024 | 'sub-1' is not a subnet id such as |
slurm: {version: 25.1}
    SPC024 | 25.1 is not a version, year and month, such as "25 |
kubernetes: {version: 1.3}
    SPC024 | 1.3 is not a minor version such as "1.35" |
network: {security_groups: [sg-1]}
    SPC024 | 'sg-1' is not a security group id such as |
slurm: {accounting: {endpoint: db, secret: 'arn:aws:ssm:us-west-2:1:parameter/x'}}
    SPC024 | 'arn:aws:ssm:us-west-2:1:parameter/x' is not the ARN of a secret, |
kubernetes: {admins: ['arn:aws:iam::111122223333:root']}
    SPC024 | 'arn:aws:iam::111122223333:root' is not the ARN of an IAM role or user, |
users: [{name: a, uid: 2001, ssh_key: AAA}]
    SPC024 | 'AAA' is not a public key |
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, existing: {id: x}}]
    SPC023 | 'x' is not a file system or cache id |
software: {scripts: [{run: ./setup.sh}]}
    SPC024 | './setup.sh' is not a URL that |
network: {cidr: 10.42.0.1/16}
    SPC024 | '10.42.0.1/16' is not a CIDR block | the block that holds it is 10.42.0.0/16
network: {cidr: ten}
    SPC024 | 'ten' is not a CIDR block | write it as 203.0.113.0/24
network: {cidr: 'fe80::/64'}
    SPC024 | fe80::/64 is an IPv6 block | nodes have IPv4 addresses: 10.42.0.0/16
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, backups: 7}]
    SPC024 | 7 has no unit | 7s, 7m, 7h or 7d?
node_groups: [{name: h200, root_volume: {size: 200}}]
    SPC024 | 200 has no unit | 200GiB or 200TiB?
# Out of range.
users: [{name: alice, uid: 999}]
    SPC024 | 999 is below 1000 | write 1000 or more: Linux has lower ids for accounts of its own. If
    files have the old id, give the user a new one everywhere, then run `chown -R --from=OLD NEW
    FOLDER` on each file system
node_groups: [{name: h200, capacity: {training_plan: december}}]
    SPC024 | 'december' is not the ARN of a training plan,
    arn:aws:sagemaker:us-east-1:111122223333:training-plan/p5en-december | training_plan: ARN of a
    SageMaker training plan (HyperPod), which `aws sagemaker list-training-plans` shows.
node_groups: [{name: h200, role: login}]
    SPC020 | unknown key `role` | node groups run jobs: write login: {instance_type: ...} beside
    node_groups for login nodes, and head_node for the controller; a role of IAM is in iam
queues: [{name: a, node_groups: [h200], priority: 65534}]
    SPC024 | 65534 is above 65533 | write 65533 or less
queues: [{name: a, node_groups: []}]
    SPC024 | an empty list | give at least 1
network: {security_groups: [sg-0a, sg-0b, sg-0c, sg-0d, sg-0e, sg-0f]}
    SPC024 | 6 entries | write at most 5
# Numbers of nodes, and where they come from.
node_groups: [{name: h200, count: "16"}]
    SPC024 | '16' is not a count | write 16
node_groups: [{name: h200, count: 16-64}]
    SPC024 | '16-64' is not a count | write {min: 16, max: 64}
node_groups: [{name: h200, count: -1}]
    SPC024 | a count of -1 nodes | write 0 or more, or {min: 0, max: N}
node_groups: [{name: h200, capacity: ondemand}]
    SPC024 | 'ondemand' is not a capacity | did you mean on-dem
node_groups: [{name: h200, capacity: cr-0a1b2c3d}]
    SPC024 | 'cr-0a1b2c3d' is not a capacity | write {reservation: cr-0a1b2c3d} or {capacity_block:
    cr-0a1b2c3d}
node_groups: [{name: h200, capacity: {spot: true}}]
    SPC024 | spot takes no value | write capacity: spot
node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d, spot: true}}]
    SPC024 | a capacity block is not spot capacity | write capacity_block or capacity: spot
node_groups: [{name: h200, capacity: {}}]
    SPC024 | expected one kind of capacity | write one of reser
node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d, reservation: cr-0a1b2c3d}}]
    SPC024 | expected one kind of capacity, found 2 | write one of capacity_block, reservation
node_groups: [{name: h200, capacity: {starts: '2026-12-10T11:30:00Z'}}]
    SPC024 | expected one kind of capacity, found none | write one of reser
node_groups: [{name: h200, capacity: {spot: true, ends: '2026-12-10T11:30:00Z'}}]
    SPC024 | spot capacity neither starts nor ends at a certain time | write capacity: spot
node_groups: [{name: h200, capacity: {capacity_block: [cr-0a1b2c3d, cr-0a1b2c3e]}}]
    SPC024 | a node group has one capacity block, found 2 | write a node group for each
node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d, ends: 2026-12-10T11:30:00}}]
    SPC024 | '2026-12-10T11:30:00' has no offset from UTC | write 2026-12-10T11:30:00Z if it is UTC,
    as AWS shows it, or add the offset
node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d, ends: next week}}]
    SPC024 | 'next week' is not a date and time of ISO 8601 | write e.g. 2026-12-10T11:30:00Z
node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d, ends: 0026-12-10T11:30:00Z}}]
    SPC024 | no capacity is reserved in the year 26 | correct the year
node_groups: [{name: h200, capacity: {capacity_block: 0a1b2c3d}}]
    SPC024 | '0a1b2c3d' is not the id of a reservation or Capacity Block |
node_groups: [{name: h200, instance_types: [p5.48xlarge]}]
    SPC024 | node group 'h200' needs instance_type or instance_types, and not both | remove one of
    the two
""")  # fmt: skip


@pytest.mark.parametrize(("fragment", "code", "message", "help"), VALUES)
def test_invalid_values_are_rejected(fragment: str, code: str, message: str, help: str) -> None:
    found = next(f for f in findings_of(fragment) if f.code == code)
    assert found.message.startswith(message)
    assert found.help.startswith(help)
    assert found.help
    assert found.span is not None


def test_one_finding_for_each_place() -> None:
    found = findings_of("network: {vpc: x, zone: 1}\nslurm: {accounting: {endpoint: db}}\nname: X!")
    assert [(f.code, f.path) for f in found] == [
        ("SPC024", ("name",)),
        ("SPC022", ("network", "zone")),
        ("SPC023", ("network", "vpc")),
        ("SPC021", ("slurm", "accounting")),
    ]


STAYS_TEXT = [
    ("slurm: {version: 25.11}", lambda spec: spec.slurm.version, "25.11"),
    ("slurm: {version: 24.10}", lambda spec: spec.slurm.version, "24.10"),
    ("kubernetes: {version: 1.30}", lambda spec: spec.kubernetes.version, "1.30"),
    ("tags: {account: 012345678901}", lambda spec: spec.tags["account"], "012345678901"),
    ("tags: {version: 1.10}", lambda spec: spec.tags["version"], "1.10"),
    ("slurm: {settings: {A: true, B: 5}}", lambda spec: spec.slurm.settings["A"], "YES"),
    ("slurm: {settings: {A: NO}}", lambda spec: spec.slurm.settings["A"], "NO"),
]


@pytest.mark.parametrize(("fragment", "field", "expected"), STAYS_TEXT)
def test_plain_words_keep_their_text(fragment: str, field: Any, expected: str) -> None:
    assert field(parsed(fragment)) == expected


SHORT_FORMS = [
    (GROUP % "count: 4", GROUP % "count: {min: 4, max: 4}"),
    (
        "network: {vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d]}",
        "network: {vpc: vpc-0a1b2c3d, private_subnets: [{id: subnet-0a1b2c3d}]}",
    ),
    ("slurm: {accounting: true}", "slurm: {accounting: managed}"),
    ("slurm: {accounting: false}", "slurm: {accounting: off}"),
    (
        "queues: [{name: a, node_groups: [h200], time_limit: 24:00:00}]",
        "queues: [{name: a, node_groups: [h200], time_limit: 1d}]",
    ),
    (GROUP % "root_volume: {size: 2TiB}", GROUP % "root_volume: {size: 2048GiB}"),
]


@pytest.mark.parametrize(("short", "long"), SHORT_FORMS)
def test_short_forms(short: str, long: str) -> None:
    assert parsed(short) == parsed(long)


def parsed(fragment: str) -> Spec:
    return language().model_validate(_merged(fragment))


# Every field of the language, and every place where fields are nested.


def _fields(node: Any, definitions: dict[str, Any], title: str) -> set[tuple[str, str]]:
    """The properties of a schema and of what it refers to, each with the section it is of."""
    return {(title, name) for name in node.get("properties", {})} | {
        (section, name)
        for section, definition in definitions.items()
        for name in definition.get("properties", {})
    }


def _written(value: Any) -> set[tuple[str, str]]:
    """The fields that a parsed spec was given, each with the section it is of."""
    if isinstance(value, dict | list | tuple):
        inner = value.values() if isinstance(value, dict) else value
        return set().union(*(_written(item) for item in inner))
    if not isinstance(value, BaseModel):
        return set()
    fields = type(value).model_fields
    own = {(type(value).__name__, fields[name].alias or name) for name in value.model_fields_set}
    return own.union(*(_written(getattr(value, name)) for name in value.model_fields_set))


def test_one_spec_uses_every_field() -> None:
    text = EVERY_FIELD.read_text(encoding="utf-8")
    assert read_text(text)[1] == []
    spec = language().model_validate(document_of(text).data)
    described = schema()
    fields = _fields(described, described["$defs"], "Spec")
    assert len(fields) > 150
    # What every kind of storage has and these reject, each with a finding of its own.
    assert fields - _written(spec) == {("S3", "existing"), ("Ebs", "backups")}


def test_the_schema_describes_every_field() -> None:
    described = schema()
    for owner in (described, *described["$defs"].values()):
        for name, field in owner.get("properties", {}).items():
            section = described["$defs"].get(field.get("$ref", "").rpartition("/")[2], {})
            description = field.get("description") or section.get("description")
            assert description or name in ("type", "on_demand", "spot"), name


@pytest.mark.parametrize(
    "path", sorted(resources.tree("specs").glob("*.yaml")), ids=lambda p: p.stem
)
def test_specs_keep_the_schema(path: Path) -> None:
    """Editors and the compiler agree on every spec that we show."""
    document = document_of(path.read_text(encoding="utf-8"))
    errors = Draft202012Validator(schema()).iter_errors(json.loads(json.dumps(document.data)))
    assert [f"{'.'.join(map(str, e.absolute_path))}: {e.message}" for e in errors] == []


# No data, however odd, ends in anything but a spec or findings.

FIELDS = sorted({name for _, name in _fields(schema(), schema()["$defs"], "Spec")})
USUAL = ["auto", "new", "spot", "managed", "h200", "p5en.48xlarge", "g6e.48xlarge", "fsx-lustre",
         "efs", "use1-az6", "us-east-1", "us-gov-west-1", "10.42.0.0/16", "fe80::/10", "/fsx",
         "4800GiB", "7d", "cr-0a1b2c3d", "s3://bucket/a", "$(reboot)"]  # fmt: skip
WORDS = st.sampled_from([*FIELDS, *USUAL])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | WORDS
)
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(WORDS | st.text(max_size=6), inner, max_size=5)
    ),
    max_leaves=15,
)


@given(DATA)
@settings(max_examples=share(1000), suppress_health_check=[HealthCheck.too_slow])
def test_arbitrary_data_gives_a_spec_or_findings(data: Any) -> None:
    _answered({"version": 1, **data} if isinstance(data, dict) else data)


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """The spec of every field, with something else in one or two places."""
    document = document_of(EVERY_FIELD.read_text(encoding="utf-8"))
    data = document.data
    for _ in range(draw(st.integers(1, 2))):
        node, step = data, draw(st.sampled_from(sorted(data)))
        while isinstance(node[step], dict | list) and node[step] and draw(st.booleans()):
            node = node[step]
            steps = sorted(node) if isinstance(node, dict) else range(len(node))
            step = draw(st.sampled_from(steps))
        node[step] = draw(DATA)
    return data


@given(mutated())
@settings(max_examples=share(200), suppress_health_check=[HealthCheck.too_slow])
def test_a_spec_with_invalid_values_gets_findings(data: Any) -> None:
    _answered(data)


def _answered(data: Any) -> None:
    text = json.dumps(data)
    document, found = read_text(text)
    if document is None:
        assert found
        return
    spec, found = parse(document)
    if spec is None:
        assert found
        for finding in found:
            assert document.place(finding).span is not None
        return
    checked = check_for_all(text)
    assert len(checked.plans) == len(EVERY_TARGET) or errors(checked.findings)
    for finding in checked.findings:
        assert finding.span is not None
