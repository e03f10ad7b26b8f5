"""A Kubernetes API with a memory: it stores objects, and checks nothing about them.

The real kubectl and Helm talk to it. It has discovery, reads, lists by label, creation, server-side
apply, merge patches, replacement and deletion.
"""

import json
import re
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from clustergen.base.text_lists import word_set
from tests.support.tables import flow

Object = dict[str, Any]
CLUSTER_WIDE = word_set("""
    Namespace Node PersistentVolume ClusterRole ClusterRoleBinding CustomResourceDefinition
    PriorityClass NodePool NodeClaim EC2NodeClass ClusterQueue Cohort ResourceFlavor Topology
    WorkloadPriorityClass Queue StorageClass ClusterTrainingRuntime CSIDriver ClusterPolicy
""")
# Kinds by the version of their API; those of charts are there from the start.
_KINDS = flow("""
v1: Namespace Node Pod Secret ConfigMap ServiceAccount PersistentVolume PersistentVolumeClaim
apps/v1: DaemonSet Deployment
batch/v1: Job
rbac.authorization.k8s.io/v1: ClusterRole ClusterRoleBinding
apiextensions.k8s.io/v1: CustomResourceDefinition
scheduling.k8s.io/v1: PriorityClass
storage.k8s.io/v1: StorageClass
resource.k8s.io/v1: ResourceClaimTemplate
kueue.x-k8s.io/v1beta2: ClusterQueue LocalQueue Cohort Workload ResourceFlavor Topology
  WorkloadPriorityClass
scheduling.volcano.sh/v1beta1: Queue
scheduling.run.ai/v2: Queue
trainer.kubeflow.org/v1alpha1: ClusterTrainingRuntime
kubeflow.org/v2beta1: MPIJob
nvidia.com/v1: ClusterPolicy
karpenter.sh/v1: NodePool NodeClaim
karpenter.k8s.aws/v1: EC2NodeClass
""")
KINDS: Mapping[tuple[str, str, str], str] = {
    (group, version, kind): re.sub("y$", "ie", re.sub("ss$", "sse", kind.lower())) + "s"
    for api, kinds in _KINDS.items()
    for group, _, version in [api.rpartition("/")]
    for kind in kinds.split()
}
"""Group, version and kind -> plural."""
_PATH = re.compile(
    r"/(?:api|apis/(?P<group>[^/]+))/(?P<version>[^/]+)(?:/namespaces/(?P<namespace>[^/]+))?"
    r"/(?P<plural>[a-z0-9]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>status))?$"
)


@dataclass
class Api:
    """What it stores, by plural and group, namespace and name; and what was asked of it."""

    url: str = ""
    objects: dict[tuple[str, str, str], Object] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)
    applied: dict[tuple[str, str, str], Object] = field(default_factory=dict)
    """What was last applied of each object."""
    rejecting: set[str] = field(default_factory=set)
    """Resources of which a dry run rejects every change."""
    failing: set[str] = field(default_factory=set)
    """Resources whose lists are errors, and groups whose discovery is one."""

    def names(self, resource: str) -> set[str]:
        """Names of the objects of a resource such as `clusterqueues.kueue.x-k8s.io`."""
        return {name for kind, _, name in self.objects if kind == resource}

    def kubeconfig(self, path: Path) -> Path:
        """A configuration of kubectl with this API as its only cluster."""
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "fake", "cluster": {"server": self.url}}],
            "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "fake"}}],
            "users": [{"name": "fake", "user": {"token": "fake"}}],
            "current-context": "fake",
        }
        path.write_text(yaml.safe_dump(config))
        return path


@contextmanager
def running() -> Iterator[Api]:
    """The API, on localhost for as long as the block runs."""
    api = Api()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"api": api}))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    api.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    api: Api
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    """An answer is one packet: the second one would wait until the first is acknowledged."""

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        path = urlsplit(self.path)
        if self._fails(path.path):
            self._answer(503, _status(503, "ServiceUnavailable"))
        elif found := _discovered(path.path, self.api.failing):
            self._answer(200, found)
        elif path.path in ("/readyz", "/livez"):
            self._send(200, b"ok", "text/plain")
        elif not (match := _PATH.fullmatch(path.path)):
            self._missing()
        elif match["name"]:
            found = self.api.objects.get(self._key(match))
            self._answer(200, found) if found else self._missing()
        else:
            self._answer(200, self._list(match, parse_qs(path.query)))

    def _fails(self, path: str) -> bool:
        match = _PATH.fullmatch(path)
        return bool(match and not match["name"] and _resource(match) in self.api.failing) or any(
            path.startswith(f"/apis/{group}/") for group in self.api.failing
        )

    def do_POST(self) -> None:
        match = _PATH.fullmatch(urlsplit(self.path).path)
        assert match is not None, self.path
        body = self._body()
        key = (_resource(match), match["namespace"] or "", body["metadata"]["name"])
        if key in self.api.objects:
            self._answer(409, _status(409, "AlreadyExists"))
        else:
            self._store(key, body, 201)

    def do_PUT(self) -> None:
        match = _PATH.fullmatch(urlsplit(self.path).path)
        assert match is not None, self.path
        self._store(self._key(match), self._body(), 200)

    def do_PATCH(self) -> None:
        match = _PATH.fullmatch(urlsplit(self.path).path)
        assert match is not None, self.path
        key = self._key(match)
        before = self.api.objects.get(key)
        body = self._body()
        if "dryRun=All" in urlsplit(self.path).query:
            self._answer(*self._tried(key, body))
        elif "merge-patch" not in self.headers["Content-Type"]:
            made = _applied(before or {}, self.api.applied.get(key, {}), body)
            self.api.applied[key] = body
            self._store(key, made, 200 if before else 201)
        elif before is None:
            self._missing()
        else:
            self._store(key, _merged(before, body), 200)

    def _tried(self, key: tuple[str, str, str], body: Object) -> tuple[int, Object]:
        if key[0] in self.api.rejecting:
            reason = f"{key[2]} is invalid: spec: Invalid value: field is immutable"
            return 422, {**_status(422, "Invalid"), "message": reason}
        return 200, {**body, "metadata": {**body["metadata"], "uid": "0"}}

    def do_DELETE(self) -> None:
        match = _PATH.fullmatch(urlsplit(self.path).path)
        assert match is not None, self.path
        self._body()
        key = self._key(match)
        if self.api.objects.pop(key, None) is None:
            self._missing()
            return
        self.api.changes.append(f"delete {key[0]}/{key[2]}")
        self._answer(200, _status(200, "", "Success"))

    def _store(self, key: tuple[str, str, str], item: Object, code: int) -> None:
        before = self.api.objects.get(key)
        metadata = {**item["metadata"], "uid": "0", "resourceVersion": "1"}
        if key[1]:
            metadata["namespace"] = key[1]
        stored = {**item, "metadata": metadata}
        if key[0].startswith("customresourcedefinitions"):
            stored["status"] = {"conditions": [{"type": "Established", "status": "True"}]}
        if key[0] == "deployments.apps":
            stored["status"] = _ROLLED_OUT
        if stored != before:
            self.api.changes.append(f"{'create' if before is None else 'change'} {key[0]}/{key[2]}")
        self.api.objects[key] = stored
        self._answer(code, stored)

    def _list(self, match: re.Match[str], query: Mapping[str, list[str]]) -> Object:
        resource = _resource(match)
        wanted = query.get("labelSelector", [""])[0]
        fields = query.get("fieldSelector", [""])[0]
        items = [
            item
            for (kind, namespace, name), item in sorted(self.api.objects.items())
            if kind == resource
            and match["namespace"] in (None, namespace)
            and _is_selected(_fields(name, item), fields)
            and _is_selected(item["metadata"].get("labels", {}), wanted)
        ]
        version = "/".join(filter(None, (match["group"], match["version"])))
        meta = {"resourceVersion": "1"}
        return {"kind": "List", "apiVersion": version, "metadata": meta, "items": items}

    def _key(self, match: re.Match[str]) -> tuple[str, str, str]:
        return (_resource(match), match["namespace"] or "", match["name"])

    def _body(self) -> Object:
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        found: Object = yaml.safe_load(text) or {}
        return found

    def _missing(self) -> None:
        self._answer(404, _status(404, "NotFound"))

    def _answer(self, code: int, body: Object) -> None:
        self._send(code, json.dumps(body).encode(), "application/json")

    def _send(self, code: int, body: bytes, kind: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


_ROLLED_OUT = flow("""
{observedGeneration: 0, replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1}
""")


def _applied(now: Object, last: Object, new: Object) -> Object:
    """Server-side apply: fields of others stay, and those that are no longer applied go."""
    others = {key: value for key, value in now.items() if key not in last}
    return others | {
        key: _applied(now.get(key) or {}, last.get(key) or {}, value)
        if isinstance(value, dict)
        else value
        for key, value in new.items()
    }


def _merged(now: Object, change: Object) -> Object:
    """A merge patch: null removes a field."""
    return {key: value for key, value in now.items() if key not in change} | {
        key: _merged(now.get(key) or {}, value) if isinstance(value, dict) else value
        for key, value in change.items()
        if value is not None
    }


_SELECTED = re.compile(
    r"(?P<key>[^=!, ]+)"
    r"(?:(?P<other>!)?=(?P<value>[^,]*)| (?P<not>not)?in \((?P<values>[^)]*)\)),?"
)


def _is_selected(labels: Mapping[str, str], selector: str) -> bool:
    """Whether labels match a selector such as `a=b,c in (d,e),f notin (g)`."""
    found = list(_SELECTED.finditer(selector))
    assert "".join(each[0] for each in found) == selector, selector
    return all(
        (labels.get(each["key"]) in (each["values"] or each["value"] or "").split(","))
        != bool(each["not"] or each["other"])
        for each in found
    )


def _fields(name: str, item: Object) -> Mapping[str, str]:
    """What a field selector may ask for."""
    return {"metadata.name": name, "status.phase": item.get("status", {}).get("phase", "")}


def _resource(match: re.Match[str]) -> str:
    return ".".join(filter(None, (match["plural"], match["group"])))


def _status(code: int, reason: str, status: str = "Failure") -> Object:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": status,
        "reason": reason,
        "code": code,
    }


def _discovered(path: str, failing: Collection[str]) -> Object | None:
    if path == "/version":
        return {"major": "1", "minor": "35", "gitVersion": "v1.35.0"}
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "/apis":
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": _groups(failing)}
    if path == "/openapi/v3":
        roots = {_root(g, v) for g, v, _ in KINDS}
        return {"paths": {root: {"serverRelativeURL": f"/openapi/v3/{root}"} for root in roots}}
    for group, version, _ in KINDS:
        if path == f"/{_root(group, version)}":
            return _resources(group, version)
        if path == f"/openapi/v3/{_root(group, version)}":
            return _validation(group, version)
    return None


def _root(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def _validation(group: str, version: str) -> Object:
    """That the server itself validates fields, for otherwise kubectl does."""
    parameters = [{"name": name, "in": "query"} for name in ("fieldValidation", "dryRun")]
    paths = {
        f"/{plural}": {
            "patch": {
                "x-kubernetes-group-version-kind": {"group": g, "version": v, "kind": kind},
                "parameters": parameters,
                "responses": {},
            }
        }
        for (g, v, kind), plural in KINDS.items()
        if (g, v) == (group, version)
    }
    info = {"title": "Kubernetes", "version": "v1.35.0"}
    return {"openapi": "3.0.0", "info": info, "paths": paths}


def _groups(failing: Collection[str]) -> list[Object]:
    found = {group: version for group, version, _ in KINDS if group}
    found |= dict.fromkeys(failing, "v1")
    each = ((g, {"groupVersion": f"{g}/{v}", "version": v}) for g, v in found.items())
    return [{"name": g, "versions": [version], "preferredVersion": version} for g, version in each]


def _resources(group: str, version: str) -> Object:
    verbs = ["create", "delete", "get", "list", "patch", "update"]
    return {
        "kind": "APIResourceList",
        "groupVersion": f"{group}/{version}" if group else version,
        "resources": [
            {
                "name": plural,
                "singularName": kind.lower(),
                "namespaced": kind not in CLUSTER_WIDE,
                "kind": kind,
                "shortNames": ["crd"] if kind == "CustomResourceDefinition" else [],
                "verbs": verbs,
            }
            for (g, v, kind), plural in KINDS.items()
            if (g, v) == (group, version)
        ],
    }
