"""Foundation outputs as CDK values, for the stack of a cluster.

A rendered template has a parameter for each output that it needs; in the CDK app, the value is
imported from the foundation's stack. Constructs use an :class:`Inputs` for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import aws_cdk as cdk
from constructs import Construct

from clustergen.aws import cfn
from clustergen.plan.model import Id, Ref


class Inputs(Protocol):
    """Resolves ids to values."""

    def value(self, id: Id) -> str:
        """A literal id unchanged; for a reference, a token that is resolved at deployment."""
        ...


class Parameters:
    """Each referenced output as a parameter of the same name, created on first use."""

    def __init__(self, scope: Construct, outputs: Mapping[str, str]) -> None:
        """``outputs`` are the foundation's: name -> description."""
        self._stack = cdk.Stack.of(scope)
        self._outputs = outputs
        self._made: dict[str, str] = {}

    def value(self, id: Id) -> str:
        if not isinstance(id, Ref):
            return id
        if id.name not in self._made:
            self._made[id.name] = self._parameter(id.name)
        return self._made[id.name]

    def _parameter(self, name: str) -> str:
        parameter = cdk.CfnParameter(
            self._stack,
            name,
            type=cfn.parameter_type(name),
            description=self._outputs.get(name),
        )
        return parameter.value_as_string


class Imports:
    """Each referenced output as an import from the foundation's stack."""

    def __init__(self, exports: Mapping[str, str]) -> None:
        """``exports`` maps output names to export names."""
        self._exports = exports

    def value(self, id: Id) -> str:
        return cdk.Fn.import_value(self._exports[id.name]) if isinstance(id, Ref) else id
