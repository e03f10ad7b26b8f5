"""Alertmanager's own tool accepts both configurations, and routes alerts by severity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clustergen.services.monitoring.alertmanager import configuration, webhook_configuration
from tests.support import prometheus
from tests.support.tiers import needs

pytestmark = needs(prometheus.impossible)
TOPIC = "arn:aws:sns:us-west-2:111122223333:alerts"
CONFIGURATIONS = {
    "sns": configuration(sns_topic=TOPIC, region="us-west-2"),
    "webhook": webhook_configuration("http://localhost/"),
}


ROUTES = {
    "sns": {"page": "page", "ticket": "ticket", "info": "nobody", "none": "nobody"},
    "webhook": {"page": "page", "info": "nobody", "none": "heartbeat"},
}
ROWS = [(kind, *row) for kind, routes in ROUTES.items() for row in routes.items()]


@pytest.mark.parametrize(("kind", "severity", "receiver"), ROWS)
def test_routes(kind: str, severity: str, receiver: str, tmp_path: Path) -> None:
    file = tmp_path / "alertmanager.yml"
    file.write_text(json.dumps(CONFIGURATIONS[kind]))
    status, text = prometheus.output("amtool", "check-config", file)
    assert status == 0, text
    asked = ("config", "routes", "test", f"--config.file={file}", f"severity={severity}")
    status, text = prometheus.output("amtool", *asked)
    assert (status, text.splitlines()[-1]) == (0, receiver)
