"""``clustergen cdk init``."""

import argparse
import json
from pathlib import Path

from clustergen.base import resources
from clustergen.commands.exit_status import OK
from clustergen.commands.init import write_files

APP = "python3 -m clustergen.stacks"


def run(args: argparse.Namespace) -> int:
    folder = Path(args.dir)
    settings = json.loads(resources.tree("cdk.json").read_text(encoding="utf-8"))
    files = {
        folder / "cdk.json": json.dumps({**settings, "app": APP}, indent=2) + "\n",
        folder / "package.json": resources.tree("package.json").read_text(encoding="utf-8"),
    }
    write_files(files, [path.name for path in files], force=args.force)
    print(f"wrote {' and '.join(map(str, files))}")
    print("next: npm install, then `npx cdk deploy --all -c spec=cluster.yaml -c target=pcs`")
    return OK
