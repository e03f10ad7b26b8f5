"""botocore's models of the services: a process reads each once, and shares it.

The models of EC2 and SageMaker take 100 MB together, and each session of botocore has its own.
"""

import functools
from typing import Any


@functools.cache
def session() -> Any:
    """A session with the credentials of an example."""
    from botocore.session import get_session

    made = get_session()
    made.set_credentials("AKIDEXAMPLE", "example")
    return made


@functools.cache
def model(service: str) -> Any:
    """The model of a service, by botocore's name, in its newest version."""
    return session().get_service_model(service)
