"""AWS Batch: compute environments, queues and job definitions of templates or descriptions."""

import copy
import functools
from typing import Final

from clustergen.importing import clusters
from clustergen.importing.batch.described import resources
from clustergen.importing.batch.fields import spec
from clustergen.importing.batch.form import ENVIRONMENTS, FORM, NAME, QUEUES
from clustergen.importing.cloudformation.functions import name_in
from clustergen.importing.machines import items, section
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json, link


def _linked(settings: Json, notes: Notes) -> Json:  # noqa: ARG001 as of other services
    """The settings with links to compute environments, which queues may also have by name."""
    environments = section(settings, ENVIRONMENTS)
    known = {
        name: link(ENVIRONMENTS, key)
        for key, each in environments.items()
        if (name := name_in(each.get(NAME)))
    }
    found = copy.deepcopy(settings)
    for queue in section(found, QUEUES).values():
        for each in items(queue, "ComputeEnvironmentOrder"):
            used = name_in(section(each).get("ComputeEnvironment"))
            if used in known:
                each["ComputeEnvironment"] = known[used]
    return found


READER: Final = clusters.Reader("batch", FORM, ENVIRONMENTS, spec, resources, _linked, one=False)

imported = functools.partial(clusters.imported, READER)
"""The spec of the templates or descriptions of compute environments and their queues."""
