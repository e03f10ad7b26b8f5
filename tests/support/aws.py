"""An AWS on localhost, of moto's making, and the CDK's command that deploys to it."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.paths import ROOT
from tests.support.scripts import completed

# moto takes a second to load: it is imported where it is used.

CDK = ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"
ACCOUNT = "123456789012"
APP = f"{sys.executable} app.py"


def install_cdk() -> None:
    """Install the CDK's command where it is not."""
    # Several processes of tests may come here at once.
    with open(ROOT / "package-lock.json", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not CDK.exists():
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=ROOT, check=True)


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    status: int
    output: str
    """The output: stdout and stderr, in that order."""


@dataclass(frozen=True, slots=True)
class Aws:
    """A running AWS, empty but for what the tests deploy."""

    url: str

    def client(self, service: str, region: str) -> Any:
        import boto3

        return boto3.client(service, region_name=region, endpoint_url=self.url, **_KEYS)

    def cdk(self, *arguments: object, region: str, app: str | Path = APP) -> Done:
        """Run the CDK's command against it, its own rules checking what app.py makes."""
        there = reaching(self.url)
        return cdk(*arguments, app=app, AWS_REGION=region, CDK_VALIDATION="true", **there)


_KEYS = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}


def cdk(*arguments: object, app: str | Path = APP, **environment: str) -> Done:
    """Run the CDK's command as the README says it, in the checkout."""
    command = ["node", CDK, *arguments, "--app", app, "--ci"]
    with TemporaryDirectory() as folder:
        # Two commands at once may not write into one folder, as they would by cdk.json.
        if app == APP and "--output" not in arguments:
            command += ["--output", folder]
        done = completed(*map(str, command), cwd=ROOT, env=_environment() | environment)
    return Done(done.returncode, done.stdout + done.stderr)


def _environment() -> dict[str, str]:
    """Nothing of the machine's own AWS; no question to a network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    nowhere = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    return {**kept, **nowhere, **reaching("http://localhost:9")}


def reaching(url: str) -> dict[str, str]:
    """The variables with which programs take ``url`` for AWS."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_EC2_METADATA_DISABLED": "true",
        "CDK_DISABLE_VERSION_CHECK": "1",
    }


@contextmanager
def serving(port: int = 0) -> Iterator[Aws]:
    """A server for as long as the block lasts; port 0 is one that is free."""
    from moto.server import ThreadedMotoServer

    from tests.support import moto_types

    moto_types.teach()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    try:
        # By its name: moto looks for buckets in the path there, and in the host's name elsewhere.
        yield Aws(f"http://localhost:{port}")
    finally:
        server.stop()


def put_parameter(region: str, name: str, value: str) -> None:
    """A public parameter of AWS, which users cannot write through the API."""
    from datetime import UTC, datetime

    from moto.ssm.models import Parameter, ssm_backends

    # moto makes them in the same way, though it calls the class abstract.
    kind: Any = Parameter
    made = kind(ACCOUNT, name, value, "String", None, None, None, datetime.now(UTC), 1, "text")
    ssm_backends[ACCOUNT][region]._parameters[name].append(made)
