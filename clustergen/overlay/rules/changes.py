"""Changes of an overlay, and deletions without effect."""

from clustergen.base.findings import EXAMPLE_BASE, Severity, own_rule

CHANGES = own_rule(
    code="OVL001",
    title="An overlay changes the rendered document",
    why="clustergen's rules do not check every change of an overlay, so each one is reported.",
    severity=Severity.NOTE,
    bad="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
    good="targets: {parallelcluster: {}}",
)
IDLE_DELETION = own_rule(
    code="OVL004",
    title="Overlay deletes or renames what does not exist",
    why="`null` deletes a key, `$patch: delete` an item of a list, and `$rename` renames one. If "
    "there is no such key or item, the overlay probably has the wrong path or name.",
    bad=EXAMPLE_BASE + "targets: {parallelcluster: {overlay: {Schedulin: null}}}",
    good="targets: {parallelcluster: {overlay: {Monitoring: {DetailedMonitoring: true}}}}",
)
