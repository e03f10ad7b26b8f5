"""Completion: what is offered where, and the text after it is chosen."""

import itertools

import pytest
from lsprotocol import types

import clustergen
from clustergen.checking import registry
from clustergen.editor import completion
from clustergen.editor.scanner import outline
from clustergen.editor.scope import File
from clustergen.editor.texts import Text
from clustergen.facts import catalog
from tests.editor.client import Client
from tests.editor.cursor import completed, completions

HEAD = "version: 1\nname: a\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
GROUP = HEAD + "node_groups:\n  - {name: h200, instance_type: p5en.48xlarge, count: 2}\n"

OFFERED = {
    "root": ("version: 1\nname: a\n█", "region network node_groups targets", "version name"),
    "root-between": ("version: 1\n█\nregion: x\n", "name network", "version region"),
    "section": (HEAD + "head_node:\n  █", "instance_type image root_volume", "count"),
    "section-begun": (HEAD + "login:\n  count: 2\n  im█", "image", "count"),
    "begin-of-key": (HEAD + "login:\n  █count: 2\n", "count image", ""),
    "braces": (HEAD + "login: {count: 2, █}", "instance_type image", "count"),
    "braces-open": (HEAD + "login: {count: 2, i█\nslurm: {}", "instance_type image", "count"),
    "item": (HEAD + "node_groups:\n  - █", "name count instance_type", "- mount"),
    "item-2": (GROUP + "  - name: b\n    █\n", "count capacity", "name"),
    "item-3": (HEAD + "queues:\n- name: b\n  █\n", "node_groups default", "name"),
    "list": (HEAD + "storage:\n  █", "mount type size", ""),
    "by-type": (HEAD + "storage: [{type: efs, █}]", "one_zone mount", "metadata_iops type"),
    "nested": (HEAD + "node_groups:\n  - root_volume:\n      █", "size iops", "name count"),
    "wrong-column": (HEAD + "login:\n  count: 2\n     █", "", "image"),
    "targets": (HEAD + "targets: {pcs: {}, █}", "parallelcluster hyperpod-slurm eks", "pcs"),
    "target": (HEAD + "targets:\n  pcs:\n    █", "size rest overlay", "version"),
    "tags": (HEAD + "tags: {█}", "", "name"),
    "overlay": (HEAD + "targets: {pcs: {overlay: {█}}}", "", "size"),
    "os": (HEAD + "software: {os: █}", "ubuntu2404 rhel9 alinux2023", "os"),
    "truth": (HEAD + "targets: {pcs: {rest: █}}", "true false", ""),
    "capacity": (
        HEAD + "node_groups:\n  - capacity: █",
        "on-demand spot {reservation:} {capacity_block:}",
        "",
    ),
    "type": (HEAD + "storage: [{type: █}]", "fsx-lustre efs s3", ""),
    "instance": (HEAD + "node_groups: [{instance_type: p5█}]", "p5.48xlarge p5en.48xlarge", ""),
    "quoted": (HEAD + "node_groups: [{instance_type: 'p5█'}]", "p5.48xlarge", ""),
    "instances": (HEAD + "node_groups: [{instance_types: [p5.48xlarge, p5█]}]", "p5e.48xlarge", ""),
    "system-nodes": (HEAD + "kubernetes: {system_nodes: {instance_type: m7█}}", "m7i.large", ""),
    "region": ("version: 1\nregion: us-█", "us-east-1 us-west-2", "us-east-1a"),
    "zone": (HEAD.replace("use1-az6", "█"), "use1-az6 use1-az1", "use2-az1"),
    "groups": (GROUP + "queues: [{name: q, node_groups: [█]}]", "h200", ""),
    "groups-open": (GROUP + "queues:\n  - name: q\n    node_groups:\n      - █", "h200", "name"),
    "groups-value": (GROUP + "queues:\n  - name: q\n    node_groups: █", "h200", ""),
    "scripts": (GROUP + "software: {scripts: [{node_groups: [█]}]}", "h200", ""),
    "mig": (HEAD + "node_groups: [{instance_type: p5.48xlarge, mig: {█}}]", "1g.10gb", "1g.18gb"),
    "slurm": (HEAD + "slurm:\n  settings:\n    Sel█", "SelectTypeParameters", "version"),
    "slurm-node": (HEAD + "node_groups: [{slurm: {We█}}]", "Weight", "SelectType"),
    "slurm-value": (HEAD + "slurm: {settings: {SelectType: █}}", "select/cons_tres", "true"),
    "slurm-version": (HEAD + "targets: {pcs: {}}\nslurm: {version: █}", "25.11", ""),
    "kubernetes-version": (HEAD + "kubernetes: {version: █}", "1.35 1.34", ""),
    "codes": (HEAD + "login: {}  # clustergen: ignore[NET0█", "NET013 NET021", "FSX004"),
    "codes-2": (HEAD + "login: {}  # clustergen: ignore[NET013, FS█]", "FSX004", "NET013"),
    "comment": (HEAD + "# re█", "", "region"),
    "block-text": ("name: |\n  re█", "", "region"),
    "second-document": (HEAD + "---\nversion: 1\n█", "name region", "version"),
    "json": ('{"version": 1, "region": "us-█"}', "us-east-1", ""),
    "empty": ("█", "gpu-slurm kubernetes", "version"),
}  # fmt: skip


@pytest.mark.parametrize("case", OFFERED)
def test_what_is_offered(case: str) -> None:
    text, wanted, unwanted = OFFERED[case]
    offered = {label.replace(" ", "") for label in completions(text)}
    assert set(wanted.split()) <= offered
    assert offered.isdisjoint(unwanted.split())
    if not wanted:
        assert not offered


CHOSEN = {
    "scalar": ("name: a\n█", "region", "name: a\nregion: "),
    "section": ("name: a\nne█", "network", "name: a\nnetwork:\n  "),
    "list": ("name: a\n█", "node_groups", "name: a\nnode_groups:\n  - "),
    "deeper": (
        "node_groups:\n  - name: a\n    ro█\n",
        "root_volume",
        "node_groups:\n  - name: a\n    root_volume:\n      \n",
    ),
    "item": ("storage:\n  █", "type", "storage:\n  - type: "),
    "key-with-colon": ("login: {co█: 2}", "count", "login: {count: 2}"),
    "in-a-word": ("login:\n  c█oun\n", "count", "login:\n  count: \n"),
    "braces": ("login: {█}", "root_volume", "login: {root_volume: }"),
    "target": ("targets:\n  █", "pcs", "targets:\n  pcs: {}"),
    "value": ("region: us-█east", "us-east-1", "region: us-east-1"),
    "quoted": ("region: 'us-█'", "us-east-1", "region: 'us-east-1'"),
    "names": (
        "node_groups: [{name: a}]\nqueues: [{node_groups: █}]",
        "a",
        "node_groups: [{name: a}]\nqueues: [{node_groups: [a]}]",
    ),
    "json-key": ('{"version": 1, █}', "name", '{"version": 1, "name": }'),
    "json-value": ('{"region": █}', "us-east-1", '{"region": "us-east-1"}'),
}


@pytest.mark.parametrize("case", CHOSEN)
def test_what_is_written(case: str) -> None:
    text, label, expected = CHOSEN[case]
    assert completed(text, label) == expected


def test_one_line_for_clients_that_indent() -> None:
    assert completed("name: a\n█", "network", lines=False) == "name: a\nnetwork: "


def test_documentation() -> None:
    item = completions("name: a\n█")["region"]
    assert isinstance(item.documentation, types.MarkupContent)
    assert "AWS region" in item.documentation.value
    assert "required" in item.documentation.value


def test_instance_types_have_facts_and_their_place() -> None:
    text = HEAD + "node_groups: [{name: a, instance_type: p5█}]"
    found = completions(text)
    assert "8 x H200" in (found["p5en.48xlarge"].detail or "")
    assert (found["p5e.48xlarge"].detail or "").startswith("not in use1-az6: ")
    ordered = sorted(found.values(), key=lambda item: item.sort_text or "")
    assert [item.label for item in ordered][-1] == "p5e.48xlarge"
    resolved = completion.resolve(found["p5.48xlarge"])
    assert isinstance(resolved.documentation, types.MarkupContent)
    assert "32 interfaces" in resolved.documentation.value


def test_all_types_can_be_reached() -> None:
    for name in itertools.islice(catalog.names(), 0, None, 50):
        assert name in completions(HEAD + f"node_groups: [{{instance_type: {name[:-1]}█}}]")


LUSTRE = (
    "",
    "efa: true, ",
    "throughput: 500, ",
    "efa: true, throughput: 500, ",
    "deployment: scratch-1, ",
    "deployment: persistent-1, storage_class: hdd, ",
    "deployment: persistent-1, throughput: 100, ",
    "region: ap-south-2, ",
)


@pytest.mark.parametrize("settings", LUSTRE)
def test_sizes_are_valid(settings: str) -> None:
    """FSx would create each file system that is offered."""
    region = "ap-south-2" if "region" in settings else "us-east-1"
    head = GROUP.replace("us-east-1", region).replace("network: {zone: use1-az6}\n", "")
    settings = settings.removeprefix(f"region: {region}, ")
    item = f"storage: [{{mount: /fsx, type: fsx-lustre, {settings}size: █}}]"
    offered = completions(head + item)
    assert len(offered) >= 6
    for size in offered:
        found = clustergen.check_text(head + item.replace("█", size)).findings
        assert not [f for f in found if f.code in ("FSX002", "FSX004")], size


def test_throughputs_are_valid_for_the_size() -> None:
    item = "storage: [{mount: /fsx, type: fsx-lustre, efa: true, size: 9600GiB, throughput: █}]"
    assert list(completions(GROUP + item)) == ["500", "1000"]
    zfs = "storage: [{mount: /fsx, type: fsx-openzfs, size: 9600GiB, throughput: █}]"
    assert {"160", "10240"} <= set(completions(GROUP + zfs))


def test_names_of_other_files() -> None:
    base = Text("file:///base.yaml", GROUP)
    others = [File(base, outline(base.lines))]
    found = completions("queues: [{name: a, node_groups: [█]}]", others)
    assert "p5en.48xlarge" in (found["h200"].detail or "")
    assert "use1-az6" in completions("network: {zone: █}", others)


def test_every_code_is_offered() -> None:
    found = completions(HEAD + "# clustergen: ignore-file[K8S5█")
    assert set(found) >= {code for code in registry.by_code() if code.startswith("K8S5")}


def test_over_the_protocol(client: Client) -> None:
    assert client.initialized.capabilities.completion_provider
    client.open("complete.yaml", GROUP + "queues: [{name: 😀, node_groups: [")
    column = len("queues: [{name: 😀, node_groups: [") + 1
    found = client.request(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionParams(**client.at("complete.yaml", 6, column)),
    )
    assert [item.label for item in found.items] == ["h200"]
    assert found.items[0].text_edit.range.start.character == column
    client.open("compose.yaml", "services: {}\n")
    params = types.CompletionParams(**client.at("compose.yaml", 1, 0))
    assert client.request(types.TEXT_DOCUMENT_COMPLETION, params) is None
