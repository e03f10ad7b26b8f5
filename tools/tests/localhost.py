"""An AWS on localhost, to try a deployment by hand: ``python -m tools.tests.localhost [PORT]``.

It prints what another shell has to export, and runs until it is stopped. Its state is then lost.
Public parameters that name images are there for the example specs.
"""

from __future__ import annotations

import logging
import sys
import threading

from clustergen.base import resources
from clustergen.base.findings import Unrenderable
from clustergen.bundle import renderer
from clustergen.checking import compiler
from clustergen.targets.pcs import images
from tests.support.aws import put_parameter, reaching, serving

PORT = 5555


def main(port: int) -> None:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    put_images()
    with serving(port) as aws:
        for name, value in reaching(aws.url).items():
            print(f"export {name}={value}")
        sys.stdout.flush()
        threading.Event().wait()


def put_images() -> None:
    """The images of PCS are named by parameters of AWS's own."""
    for spec in sorted(resources.tree("specs").glob("*.yaml")):
        checked = compiler.check([spec], targets=["pcs"])
        try:
            renderer.render(checked, "pcs")
        except Unrenderable:
            continue
        plan = checked.plans["pcs"]
        for name in images.newest(plan).values():
            put_parameter(plan.region, name, "ami-0a1b2c3d4e5f67890")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PORT)
