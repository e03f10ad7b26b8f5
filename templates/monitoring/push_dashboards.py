#!/usr/bin/env python3
"""Uploads the dashboards beside it to Grafana, with the workspace of metrics as their data source.

Running it again updates both. For Amazon Managed Grafana it needs the AWS CLI and the name of the
foundation's stack; for another Grafana its address, and a token of a service account in
GRAFANA_TOKEN, with the role Admin. Only Python's standard library (3.9 or later).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

SOURCE = "clustergen"
ACCOUNT = "clustergen-dashboards"
TOKEN_SECONDS = 900


def aws(*words: str, region: str) -> Any:
    """The JSON that the AWS CLI prints."""
    command = ["aws", *words, "--region", region, "--output", "json"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout or "null")


def outputs(stack: str, region: str) -> dict[str, str]:
    """Outputs of a stack."""
    found = aws("cloudformation", "describe-stacks", "--stack-name", stack, region=region)
    return {one["OutputKey"]: one["OutputValue"] for one in found["Stacks"][0]["Outputs"]}


def token(grafana: str, region: str) -> str:
    """A token for the time of the upload, of a service account that stays."""
    place = ("--workspace-id", grafana)
    listed = aws("grafana", "list-workspace-service-accounts", *place, region=region)
    ids = [one["id"] for one in listed["serviceAccounts"] if one["name"] == ACCOUNT]
    if not ids:
        role = ("--name", ACCOUNT, "--grafana-role", "ADMIN")
        made = aws("grafana", "create-workspace-service-account", *place, *role, region=region)
        ids = [made["id"]]
    words = ("--name", f"upload-{os.urandom(8).hex()}", "--service-account-id", ids[0])
    until = ("--seconds-to-live", str(TOKEN_SECONDS))
    command = ("create-workspace-service-account-token", *place, *words, *until)
    made = aws("grafana", *command, region=region)
    return str(made["serviceAccountToken"]["key"])


class Grafana:
    """The HTTP API: https://grafana.com/docs/grafana/latest/developers/http_api/"""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url.rstrip("/"), key

    def call(self, method: str, path: str, body: Any = None) -> int:
        """The status of a request; other errors than 404 end the program."""
        request = urllib.request.Request(f"{self.url}{path}", method=method)
        request.add_header("Authorization", f"Bearer {self.key}")
        request.add_header("Content-Type", "application/json")
        data = json.dumps(body).encode() if body is not None else None
        try:
            with urllib.request.urlopen(request, data, timeout=60) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return 404
            sys.exit(f"push-dashboards: {method} {path}: {error.code} {error.read().decode()}")

    def put_source(self, source: dict[str, Any]) -> None:
        if self.call("PUT", f"/api/datasources/uid/{SOURCE}", source) == 404:
            self.call("POST", "/api/datasources", source)

    def put_folder(self, uid: str, title: str) -> None:
        if self.call("GET", f"/api/folders/{uid}") == 404:
            self.call("POST", "/api/folders", {"uid": uid, "title": title})

    def put_dashboard(self, document: dict[str, Any], folder: str) -> None:
        body = {"dashboard": {**document, "id": None}, "folderUid": folder, "overwrite": True}
        self.call("POST", "/api/dashboards/db", body)


def prometheus(url: str, region: str, auth: str) -> dict[str, Any]:
    """The data source; Grafana signs its queries."""
    signed = {"sigV4Auth": True, "sigV4AuthType": auth, "sigV4Region": region}
    return {
        "name": SOURCE,
        "uid": SOURCE,
        "type": "prometheus",
        "access": "proxy",
        "url": url,
        "isDefault": True,
        "jsonData": {"httpMethod": "POST", "timeInterval": "30s", **signed},
    }


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Uploads the dashboards to Grafana.")
    parser.add_argument("--region", required=True)
    parser.add_argument("--stack", help="the foundation's stack, for Amazon Managed Grafana")
    parser.add_argument("--workspace", help="id of a workspace of metrics that is not its own")
    parser.add_argument("--grafana", metavar="URL", help="another Grafana; see GRAFANA_TOKEN")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "dashboards")
    options = parser.parse_args(words)
    known = outputs(options.stack, options.region) if options.stack else {}
    url = options.grafana or known.get("GrafanaUrl")
    workspace = options.workspace or known.get("MetricsWorkspaceId")
    if not url or not workspace:
        parser.error("give --stack, or --grafana and --workspace")
    managed = options.grafana is None
    key = token(known["GrafanaId"], options.region) if managed else os.environ["GRAFANA_TOKEN"]
    grafana = Grafana(url, key)
    suffix = "amazonaws.com.cn" if options.region.startswith("cn-") else "amazonaws.com"
    place = f"https://aps-workspaces.{options.region}.{suffix}/workspaces/{workspace}"
    grafana.put_source(prometheus(place, options.region, "ec2_iam_role" if managed else "default"))
    grafana.put_folder(SOURCE, "clustergen")
    for file in sorted(options.folder.glob("*.json")):
        grafana.put_dashboard(json.loads(file.read_text()), SOURCE)
        print(f"{file.name} is uploaded")


if __name__ == "__main__":
    main(sys.argv[1:])
