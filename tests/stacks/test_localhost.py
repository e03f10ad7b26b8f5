"""The AWS on localhost that people start by hand."""

import json
import subprocess
import sys
import urllib.request

from tests.support.paths import ROOT
from tests.support.tiers import IN_REAL


@IN_REAL
def test_deploy_prints_how_to_access_the_cluster() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tools.tests.localhost", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            environment = dict(
                server.stdout.readline().removeprefix("export ").strip().split("=", 1)
                for _ in range(5)
            )
            with urllib.request.urlopen(
                f"{environment['AWS_ENDPOINT_URL']}/moto-api/data.json"
            ) as page:
                images = json.load(page)["ssm"]
        finally:
            server.terminate()
    assert environment["AWS_ACCESS_KEY_ID"] == "testing"
    assert images
