"""The runner: `python -m tests.validators.parallelcluster.validator FOLDER`, in its environment.

Reads lines of JSON, `{name, text, facts}` each, from standard input and answers every one with a
line: a list of `[level, validator, message]`. FOLDER holds EC2's instance facts.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any
from urllib.error import URLError

# Before ParallelCluster and boto3 are imported: neither may look for anything of the machine's.
os.environ |= {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_DEFAULT_REGION": "us-east-1",
}
os.environ.pop("AWS_PROFILE", None)


def _open(url: str) -> AbstractContextManager[None]:
    """Every URL is there, but for the list of supported regions, which the package has too."""
    if "supported-regions" in url:
        raise URLError("offline")
    return nullcontext()


urllib.request.urlopen = _open  # type: ignore[assignment]

import boto3  # noqa: E402
from botocore.client import BaseClient  # noqa: E402
from botocore.validate import validate_parameters  # noqa: E402
from marshmallow import ValidationError  # noqa: E402
from pcluster.aws.aws_api import AWSApi  # noqa: E402
from pcluster.aws.common import Cache  # noqa: E402
from pcluster.config.common import Resource  # noqa: E402
from pcluster.schemas.cluster_schema import ClusterSchema  # noqa: E402
from pcluster.utils import yaml_load  # noqa: E402
from pcluster.validators.common import ValidatorContext  # noqa: E402

from tests.validators.parallelcluster.account import account_for  # noqa: E402
from tests.validators.parallelcluster.aws import Aws  # noqa: E402

Finding = tuple[str, str, str]


def _made_once(make: Callable[..., Any]) -> Callable[..., Any]:
    """`make` for sessions and clients, which are alike in one region: to make one takes longer
    than all that it is asked."""
    made: dict[tuple[str, ...], Any] = {}

    def once(*names: str, **_config: Any) -> Any:
        key = (os.environ["AWS_DEFAULT_REGION"], *names)
        if key not in made:
            made[key] = make(*names, **_config)
        return made[key]

    return once


def _client(name: str, **config: Any) -> BaseClient:
    session: Any = boto3.session.Session()
    made: BaseClient = session.client(name, **config)
    # ParallelCluster registers a log of calls whenever it uses one, which is never read.
    made.meta.events.register = lambda *_, **__: None
    return made


boto3.session.Session = _made_once(boto3.session.Session)
boto3.client = _made_once(_client)


# Some validators run coroutines in the loop of the thread, which Python 3.14 no longer makes.
asyncio.set_event_loop(asyncio.new_event_loop())


def main() -> None:
    """Validator line after line of standard input."""
    logging.disable(logging.CRITICAL)
    resources = Path(sys.argv[1])
    answers, sys.stdout = sys.stdout, sys.stderr  # what the validators print is no answer
    for line in sys.stdin:
        item = json.loads(line)
        if item.get("model"):
            print(json.dumps(_model(item["text"], item["name"])), file=answers, flush=True)
            continue
        findings = _findings(item["text"], item["name"], item["facts"], resources)
        print(json.dumps(list(findings)), file=answers, flush=True)


def _model(text: str, name: str) -> Any:
    """A configuration as its objects see it, defaults included."""
    return _attributes(ClusterSchema(cluster_name=name).load(yaml_load(text)))


_UNLIKE = frozenset({"implied", "source_config"})
"""Attributes that say how a configuration was written."""


def _attributes(value: Any) -> Any:
    """The parameters of a resource, and its parts."""
    if isinstance(value, Resource):
        public = {key: each for key, each in vars(value).items() if not key.startswith("_")}
        shown = {key: _attributes(each) for key, each in {**public, **value.params}.items()}
        return {"": type(value).__name__} | {k: v for k, v in shown.items() if k not in _UNLIKE}
    if isinstance(value, Resource.Param):
        return _attributes(value.value)
    if isinstance(value, list | tuple):
        return [_attributes(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _attributes(each) for key, each in value.items()}
    return getattr(value, "value", value)  # a word of an enumeration


def _findings(
    text: str, name: str, facts: Mapping[str, Mapping[str, Any]], resources: Path
) -> Iterator[Finding]:
    try:
        config = yaml_load(text)
    except Exception as error:  # it raises bare Exception for a duplicate key
        yield "ERROR", "Schema", f"not YAML: {error}"
        return
    if not isinstance(config, dict):
        yield "ERROR", "Schema", "not a mapping"
        return
    _install(Aws(account_for(config, facts), resources))
    yield from _validated(config, name)


def _validated(config: dict[str, Any], name: str) -> Iterator[Finding]:
    try:
        cluster = ClusterSchema(cluster_name=name).load(config)
        results = cluster.validate(set(), ValidatorContext())
    except ValidationError as error:
        for path, message in _leaves(error.messages, ()):
            yield "ERROR", "Schema", f"{'.'.join(path)}: {message}"
    except Exception as error:  # registering a validator may raise anything; so says the CLI too
        yield "ERROR", type(error).__name__, f"invalid cluster configuration: {error}"
    else:
        for result in results:
            yield result.level.name, result.validator_type, str(result.message)


def _leaves(messages: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(messages, dict):
        for key, value in messages.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(messages, list):
        for value in messages:
            yield from _leaves(value, path)
    else:
        yield path, str(messages)


def _install(aws: Aws) -> None:
    """Make `aws` the account of every client, and forget what the one before it answered."""

    def call(client: BaseClient, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        shape = client.meta.service_model.operation_model(operation).input_shape
        if shape is not None:
            validate_parameters(params, shape)
        return aws.call(client.meta.service_model.service_name, operation, params)

    BaseClient._make_api_call = call
    os.environ["AWS_DEFAULT_REGION"] = aws.account.region
    Cache.clear_all()
    AWSApi.reset()


if __name__ == "__main__":
    main()
