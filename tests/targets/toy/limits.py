"""What the toy accepts; the shared rules go by it."""

from clustergen.plan.limits import Limits, Names

GUIDE = "https://example.com/toy"

LIMITS = Limits(title="Toy", names=(Names(of=("node group",), longest=12, source=GUIDE),))
