"""Alertmanager's own tool accepts the configuration, and routes alerts by severity."""

import json
from pathlib import Path

import pytest

from clustergen.services.monitoring.alertmanager import configuration
from tests.support import prometheus
from tests.support.tiers import needs

pytestmark = needs(prometheus.impossible)
TOPIC = "arn:aws:sns:us-west-2:111122223333:alerts"
ROUTES = [("page", "page"), ("ticket", "ticket"), ("info", "nobody"), ("none", "nobody")]


@pytest.mark.parametrize(("severity", "receiver"), ROUTES)
def test_routes(severity: str, receiver: str, tmp_path: Path) -> None:
    file = tmp_path / "alertmanager.yml"
    file.write_text(json.dumps(configuration(sns_topic=TOPIC, region="us-west-2")))
    status, text = prometheus.output("amtool", "check-config", file)
    assert status == 0, text
    asked = ("config", "routes", "test", f"--config.file={file}", f"severity={severity}")
    status, text = prometheus.output("amtool", *asked)
    assert (status, text.splitlines()[-1]) == (0, receiver)
