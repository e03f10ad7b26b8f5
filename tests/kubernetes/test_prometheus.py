"""Prometheus in the cluster: its own programs accept its files, and it may read what it scrapes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checking import Fragments, example_files
from tests.support import prometheus as programs

EXAMPLE = "eks-karpenter"
TOPIC = "arn:aws:sns:us-west-2:111122223333:alerts"
# Debian builds promtool without Kubernetes.
DISCOVERY = re.compile(r"kubernetes_sd_configs:\n( +)- role: \w+")


def objects() -> dict[tuple[str, str], Any]:
    text = example_files(EXAMPLE, "eks")["manifests/prometheus.yaml"]
    found = yaml.safe_load_all(text.replace("${AlertTopicArn}", TOPIC))
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def written(folder: Path) -> Path:
    """The files of both pods, where their volumes have them."""
    for name in ("prometheus", "rules", "alertmanager"):
        for file, text in objects()["ConfigMap", name]["data"].items():
            path = folder / name / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return folder


@pytest.mark.skipif(bool(programs.impossible()), reason=programs.impossible())
def test_prometheus_accepts_its_files(tmp_path: Path) -> None:
    folder = written(tmp_path)
    file = folder / "prometheus/prometheus.yaml"
    authority = tmp_path / "ca.crt"
    authority.write_text("")
    text = DISCOVERY.sub(r"static_configs:\n\1- targets: [localhost]", file.read_text())
    text = text.replace("/etc/rules", str(folder / "rules"))
    text = re.sub(r"/var/run/secrets/\S+", str(authority), text)
    assert "kubernetes_sd" not in text
    file.write_text(text)
    status, said = programs.output("promtool", "check", "config", file)
    assert status == 0, said
    assert re.search(r"rules/gpu.yaml\n +SUCCESS: [1-9]", said), said
    file.write_text(text.replace("scrape_configs", "scrape_configurations"))
    assert programs.output("promtool", "check", "config", file)[0] != 0


@pytest.mark.skipif(bool(programs.impossible()), reason=programs.impossible())
def test_alertmanager_accepts_its_file(tmp_path: Path) -> None:
    file = written(tmp_path) / "alertmanager/alertmanager.yaml"
    status, said = programs.output("amtool", "check-config", file)
    assert status == 0, said
    assert TOPIC in file.read_text()


def test_pods_have_their_files_and_rights() -> None:
    made = objects()
    pods = {
        name: made[kind, name]["spec"]["template"]["spec"]
        for kind, name in (("StatefulSet", "prometheus"), ("Deployment", "alertmanager"))
    }
    for name, pod in pods.items():
        assert ("ServiceAccount", pod["serviceAccountName"]) in made
        mapped = {volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume}
        assert all(("ConfigMap", one) in made for one in mapped)
        [container] = pod["containers"]
        file = next(arg for arg in container["args"] if arg.startswith("--config.file="))
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert file.partition("=")[2].rpartition("/")[0] in mounts
        assert file.rpartition("/")[2] in made["ConfigMap", name]["data"]
    [binding] = (one for (kind, _), one in made.items() if kind == "ClusterRoleBinding")
    assert binding["subjects"][0]["name"] == pods["prometheus"]["serviceAccountName"]


def test_a_changed_rule_starts_a_new_pod() -> None:
    def version(fragment: str) -> str:
        files = Fragments("eks").files(f"{fragment}\nmonitoring: {{metrics: self-hosted}}")
        found = yaml.safe_load_all(files["manifests/prometheus.yaml"])
        [server] = (one for one in found if one["kind"] == "StatefulSet")
        label: str = server["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/version"]
        return label

    assert version("") == version("")
    assert version("") != version("kubernetes: {admission: none}")


def test_alertmanager_may_publish() -> None:
    template = example_files(EXAMPLE, "eks")["cluster.template.json"]
    resources = yaml.safe_load(template)["Resources"]
    identities = [
        one["Properties"]
        for one in resources.values()
        if one["Type"] == "AWS::EKS::PodIdentityAssociation"
    ]
    [own] = (one for one in identities if one["ServiceAccount"] == "alertmanager")
    assert own["Namespace"] == "prometheus"
    role = resources[own["RoleArn"]["Fn::GetAtt"][0]]["Properties"]
    [statement] = role["Policies"][0]["PolicyDocument"]["Statement"]
    assert (statement["Action"], statement["Resource"]) == (
        ["sns:Publish"],
        [{"Ref": "AlertTopicArn"}],
    )


def test_without_alerts_there_is_no_alertmanager() -> None:
    files = Fragments("eks").files("monitoring: {metrics: self-hosted}")
    assert "alertmanager" not in files["manifests/prometheus.yaml"]


@pytest.mark.parametrize(("metrics", "uploads"), [("self-hosted", 0), ("managed-prometheus", 1)])
def test_dashboards_are_uploaded_with_a_workspace_only(metrics: str, uploads: int) -> None:
    files = Fragments("eks").files(f"monitoring: {{metrics: {metrics}, dashboards: grafana-files}}")
    assert any(path.startswith("monitoring/dashboards/") for path in files)
    assert sum(path == "monitoring/push-dashboards" for path in files) == uploads


def test_managed_grafana_cannot_reach_it() -> None:
    found = Fragments("eks").codes(
        "monitoring: {metrics: self-hosted, dashboards: managed-grafana}"
    )
    assert "MON010" in found
