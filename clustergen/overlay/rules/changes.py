"""Changes of an overlay, and deletions without effect."""

from __future__ import annotations

from clustergen.findings import EXAMPLE_BASE, Rule, Severity

CHANGES = Rule(
    code="OVL001",
    title="An overlay changes the rendered document",
    why="clustergen's rules do not check every change of an overlay, so each one is reported.",
    source="clustergen",
    severity=Severity.NOTE,
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
    good="targets: {parallelcluster: {}}",
)
IDLE_DELETION = Rule(
    code="OVL004",
    title="Overlay deletes a key that does not exist",
    why="`null` deletes a key. If there is no such key, the overlay probably has the wrong path.",
    source="clustergen",
    bad=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Schedulin: null}}}",
    good="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
)
