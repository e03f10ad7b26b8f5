"""The dashboards reach a Grafana, and a second upload replaces those of the first."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from clustergen.base.resources import tree
from tests.support.outcomes import succeeded
from tests.support.scripts import programs

SCRIPT = tree("templates") / "monitoring/push_dashboards.py"
WORKSPACE = "ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"


class Server(ThreadingHTTPServer):
    """Grafana with a memory: what was made by its address, and every call."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.made: dict[str, Any] = {}
        self.calls: list[str] = []
        self.token = "Bearer secret"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or "null")
        self.server.calls.append(f"{self.command} {self.path}")
        self.send_response(self.status(body))
        self.end_headers()

    def status(self, body: Any) -> int:
        made = self.server.made
        if self.headers["Authorization"] != self.server.token:
            return 401
        if self.command == "POST" and self.path == "/api/dashboards/db":
            if not body["overwrite"] or f"/api/folders/{body['folderUid']}" not in made:
                return 412
            made[f"dashboard {body['dashboard']['uid']}"] = body["dashboard"]
            return 200
        if self.command == "POST":
            kind = "/api/datasources/uid/" if "datasources" in self.path else "/api/folders/"
            if kind + body["uid"] in made:
                return 409
            made[kind + body["uid"]] = body
            return 200
        if self.path not in made:
            return 404
        made[self.path] = body or made[self.path]
        return 200

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
    yield made
    made.shutdown()


def push(folder: Path, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--region", "us-east-1", "--folder", str(folder), *more]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def write(folder: Path, title: str) -> None:
    for uid in ("a", "b"):
        (folder / f"{uid}.json").write_text(json.dumps({"uid": uid, "title": title}))


def of_workspace(server: Server) -> tuple[str, ...]:
    return ("--grafana", f"http://127.0.0.1:{server.server_port}", "--workspace", WORKSPACE)


def test_a_second_upload_replaces_the_first(server: Server, tmp_path: Path) -> None:
    for title in ("first", "second"):
        write(tmp_path, title)
        done = push(tmp_path, *of_workspace(server), GRAFANA_TOKEN="secret")
        assert (done.returncode, done.stdout.count("uploaded")) == (0, 2), done.stderr
        assert server.made["dashboard a"]["title"] == title
    source = server.made["/api/datasources/uid/clustergen"]
    assert source["url"].endswith(f"/workspaces/{WORKSPACE}")
    assert source["jsonData"]["sigV4AuthType"] == "default"
    assert len(server.made) == 4


def test_a_refusal_ends_the_upload(server: Server, tmp_path: Path) -> None:
    done = push(tmp_path, *of_workspace(server), GRAFANA_TOKEN="wrong")
    assert (done.returncode, "401" in done.stderr, server.made) == (1, True, {})


AWS = """#!/bin/sh
case "$*" in
  *describe-stacks*) echo '{{"Stacks": [{{"Outputs": [
    {{"OutputKey": "GrafanaUrl", "OutputValue": "http://127.0.0.1:{port}"}},
    {{"OutputKey": "GrafanaId", "OutputValue": "g-1"}},
    {{"OutputKey": "MetricsWorkspaceId", "OutputValue": "{workspace}"}}]}}]}}' ;;
  *list-workspace-service-accounts*) echo '{{"serviceAccounts": []}}' ;;
  *create-workspace-service-account-token*)
    echo '{{"serviceAccountToken": {{"key": "secret"}}}}' ;;
  *create-workspace-service-account*) echo '{{"id": "7"}}' ;;
esac
"""


def test_a_managed_grafana_gives_a_token(server: Server, tmp_path: Path) -> None:
    write(tmp_path, "managed")
    aws = AWS.format(port=server.server_port, workspace=WORKSPACE)
    folder = programs(tmp_path / "bin", {"aws": aws})
    succeeded(push(tmp_path, "--stack", "llm-foundation", PATH=f"{folder}:/usr/bin:/bin"))
    source = server.made["/api/datasources/uid/clustergen"]
    assert source["jsonData"]["sigV4AuthType"] == "ec2_iam_role"
    assert "dashboard b" in server.made
