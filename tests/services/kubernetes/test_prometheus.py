"""Prometheus in the cluster: its own programs accept its files, and it may read what it scrapes."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import prometheus as programs
from tests.support.checking import Fragments, example_files
from tests.support.tiers import needs

needs_programs = needs(programs.impossible)
EXAMPLE = "eks-karpenter"
QUEUES = "queues: [{name: train, node_groups: [h200]}]"
TOPIC = "arn:aws:sns:us-west-2:111122223333:alerts"
# Debian builds promtool without Kubernetes.
DISCOVERY = re.compile(r"kubernetes_sd_configs:\n( +)- role: \w+")


def objects() -> dict[tuple[str, str], Any]:
    text = example_files(EXAMPLE, "eks")["manifests/prometheus.yaml"]
    found = yaml.safe_load_all(text.replace("${AlertTopicArn}", TOPIC))
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def pod_of(kind: str, name: str) -> Any:
    return objects()[kind, name]["spec"]["template"]["spec"]


PODS = [("StatefulSet", "prometheus"), ("Deployment", "alertmanager")]


def written(folder: Path) -> Path:
    """The files of both pods, where their volumes have them."""
    for name in ("prometheus", "rules", "alertmanager"):
        for file, text in objects()["ConfigMap", name]["data"].items():
            path = folder / name / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return folder


@needs_programs
def test_prometheus_accepts_its_files(tmp_path: Path) -> None:
    file = written(tmp_path) / "prometheus/prometheus.yaml"
    authority = tmp_path / "ca.crt"
    authority.write_text("")
    text = DISCOVERY.sub(r"static_configs:\n\1- targets: [localhost]", file.read_text())
    text = text.replace("/etc/rules", str(tmp_path / "rules"))
    text = re.sub(r"/var/run/secrets/\S+", str(authority), text)
    assert "kubernetes_sd" not in text
    file.write_text(text)
    status, said = programs.output("promtool", "check", "config", file)
    assert status == 0, said
    assert re.search(r"rules/gpu.yaml\n +SUCCESS: [1-9]", said), said
    file.write_text(text.replace("scrape_configs", "scrape_configurations"))
    assert programs.output("promtool", "check", "config", file)[0] != 0


@needs_programs
def test_alertmanager_accepts_its_file(tmp_path: Path) -> None:
    file = written(tmp_path) / "alertmanager/alertmanager.yaml"
    status, said = programs.output("amtool", "check-config", file)
    assert status == 0, said
    assert TOPIC in file.read_text()


@pytest.mark.parametrize(("kind", "name"), PODS)
def test_pods_have_their_files_and_rights(kind: str, name: str) -> None:
    made, pod = objects(), pod_of(kind, name)
    assert ("ServiceAccount", pod["serviceAccountName"]) in made
    mapped = {volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume}
    assert all(("ConfigMap", one) in made for one in mapped)
    [container] = pod["containers"]
    file = next(arg for arg in container["args"] if arg.startswith("--config.file="))
    folder, _, base = file.partition("=")[2].rpartition("/")
    assert folder in {mount["mountPath"] for mount in container["volumeMounts"]}
    assert base in made["ConfigMap", name]["data"]


def test_prometheus_has_the_rights_of_its_role() -> None:
    [binding] = (one for (kind, _), one in objects().items() if kind == "ClusterRoleBinding")
    account = pod_of("StatefulSet", "prometheus")["serviceAccountName"]
    assert binding["subjects"][0]["name"] == account


def jobs(metrics: str) -> list[Any]:
    files = Fragments("eks").files(f"monitoring: {{metrics: {metrics}}}\n{QUEUES}")
    if metrics == "self-hosted":
        data = [o.get("data", {}) for o in yaml.safe_load_all(files["manifests/prometheus.yaml"])]
        [text] = [each["prometheus.yaml"] for each in data if "prometheus.yaml" in each]
    else:
        made = yaml.safe_load(files["cluster.template.json"])["Resources"]["PrometheusScraper"]
        text = made["Properties"]["ScrapeConfiguration"]["ConfigurationBlob"]["Fn::Base64"]
    return list(yaml.safe_load(text)["scrape_configs"])


@pytest.mark.parametrize("metrics", ["self-hosted", "managed-prometheus"])
def test_a_token_is_sent_to_no_service_that_users_may_create(metrics: str) -> None:
    """A user of one namespace can name a Service there like that of Kueue."""
    namespaced = "__meta_kubernetes_namespace"
    trusted = []
    for job in jobs(metrics):
        if "bearer_token_file" not in job:
            continue
        [discovery] = job["kubernetes_sd_configs"]
        kept = [rule for rule in job["relabel_configs"] if rule.get("action") == "keep"]
        named = [r["regex"].split(";")[0] for r in kept if r["source_labels"][0] == namespaced]
        trusted += named
        # Users create no nodes.
        assert discovery["role"] == "node" or len(named) == 1, job["job_name"]
    assert sorted(trusted) == ["default", "kueue-system"]


def test_prometheus_may_not_run_commands_in_pods() -> None:
    """The kubelet takes a WebSocket for a GET, and nodes/proxy for the right to exec."""
    rules = objects()["ClusterRole", "prometheus"]["rules"]
    assert "nodes/metrics" in rules[0]["resources"]
    assert not [r for rule in rules for r in rule.get("resources", []) if r == "nodes/proxy"]
    kubelets = [j for j in jobs("self-hosted") if j["kubernetes_sd_configs"] == [{"role": "node"}]]
    assert sorted(job["metrics_path"] for job in kubelets) == ["/metrics", "/metrics/cadvisor"]
    for job in kubelets:
        assert "/proxy/" not in str(job)
        assert job["tls_config"]["ca_file"].endswith("serviceaccount/ca.crt")


CADVISOR = """\
id="/",
id="/kubepods.slice",
id="/kubepods.slice/kubepods-pod1.slice",namespace="a",pod="p",
id="/kubepods.slice/kubepods-pod1.slice/sandbox",name="s",image="pause",namespace="a",pod="p",
id="/kubepods.slice/kubepods-pod1.slice/c1",name="c",image="i",namespace="a",pod="p",container="c",
id="/kubepods.slice/kubepods-pod1.slice/c2",name="d",image="i",namespace="a",pod="p",container="d",
"""
"""Labels of a pod of two containers."""


@pytest.mark.parametrize("metrics", ["self-hosted", "managed-prometheus"])
def test_each_sample_of_cadvisor_has_a_series_of_its_own(metrics: str) -> None:
    """Prometheus drops all samples but one of a series and time, and says nothing of which."""
    [job] = [one for one in jobs(metrics) if one["job_name"] == "kubernetes-cadvisor"]
    for name in ("container_cpu_usage_seconds_total", "container_memory_working_set_bytes"):
        found = [
            kept
            for line in CADVISOR.splitlines()
            if (kept := relabelled(job, {"__name__": name, **dict(LABEL.findall(line))}))
        ]
        assert [one["container"] for one in found] == ["c", "d"]
    network = {"__name__": "container_network_receive_bytes_total", "id": "s", "pod": "p"}
    assert relabelled(job, network) == {"__name__": network["__name__"], "pod": "p"}


LABEL = re.compile(r'(\w+)="([^"]*)"')


def relabelled(job: Any, labels: dict[str, str]) -> dict[str, str]:
    """Empty if the sample is dropped."""
    for rule in job["metric_relabel_configs"]:
        if rule["action"] == "labeldrop":
            kept = labels.items()
            labels = {name: v for name, v in kept if not re.fullmatch(rule["regex"], name)}
            continue
        value = ";".join(labels.get(name, "") for name in rule["source_labels"])
        if (rule["action"] == "keep") != bool(re.fullmatch(rule["regex"], value)):
            return {}
    return labels


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
    kind = "AWS::EKS::PodIdentityAssociation"
    identities = [one["Properties"] for one in resources.values() if one["Type"] == kind]
    [own] = (one for one in identities if one["ServiceAccount"] == "alertmanager")
    assert own["Namespace"] == "prometheus"
    role = resources[own["RoleArn"]["Fn::GetAtt"][0]]["Properties"]
    [statement] = role["Policies"][0]["PolicyDocument"]["Statement"]
    assert statement["Action"] == ["sns:Publish"]
    assert statement["Resource"] == [{"Ref": "AlertTopicArn"}]


def test_without_alerts_there_is_no_alertmanager() -> None:
    files = Fragments("eks").files("monitoring: {metrics: self-hosted}")
    assert "alertmanager" not in files["manifests/prometheus.yaml"]


@pytest.mark.parametrize(("metrics", "uploads"), [("self-hosted", 0), ("managed-prometheus", 1)])
def test_dashboards_are_uploaded_with_a_workspace_only(metrics: str, uploads: int) -> None:
    files = Fragments("eks").files(f"monitoring: {{metrics: {metrics}, dashboards: grafana-files}}")
    assert any(path.startswith("monitoring/dashboards/") for path in files)
    assert sum(path == "monitoring/push-dashboards" for path in files) == uploads


def test_managed_grafana_cannot_reach_it() -> None:
    fragment = "monitoring: {metrics: self-hosted, dashboards: managed-grafana}"
    assert "MON010" in Fragments("eks").codes(fragment)
