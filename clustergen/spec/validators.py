"""Validators of fields that run before or after pydantic checks the type.

They do not use pydantic's models: :mod:`clustergen.spec.core_schema` refers to them by name.
"""

import difflib
import ipaddress
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic_core import PydanticCustomError

from clustergen.spec.quantities import QuantityError, number_in, parse_duration, parse_size

PURCHASES = (
    "reservation",
    "reservation_group",
    "capacity_block",
    "interruptible_reservation",
    "training_plan",
)
DATES = ("starts", "ends")
T = TypeVar("T")


def refuse(
    message: str, help: str = "", write: Any = None, *, is_safe: bool = True
) -> PydanticCustomError:
    """The error of a validator: message, help, and a value for a fix that may be safe."""
    # Pass message and help in the context, because PydanticCustomError expands braces.
    fix = {} if write is None else {"write": write, "is_safe": is_safe}
    return PydanticCustomError("clustergen", "{message}", {"message": message, "help": help, **fix})


def as_typed(value: Any) -> Any:
    """The text of a number in place of a string: ``version: 1.30`` means "1.30", not 1.3."""
    if isinstance(value, str | bool) or not isinstance(value, int | float):
        return value
    return getattr(value, "text", str(value))


def setting(value: Any) -> Any:
    """A value of slurm.conf as text; a YAML boolean becomes Slurm's YES or NO."""
    return ("YES" if value else "NO") if isinstance(value, bool) else as_typed(value)


def size(value: Any) -> int:
    """A size in GiB."""
    return _quantity(value, parse_size)


def duration(value: Any) -> int:
    """A duration in seconds."""
    return _quantity(value, parse_duration)


def minutes(value: Any) -> int:
    """A duration in whole minutes; a bare number already is one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    seconds = duration(value)
    if seconds % 60:
        raise refuse(f"{value} is not a whole number of minutes", "write e.g. 10m")
    return seconds // 60


_FIRST_YEAR, _LAST_YEAR = 2006, 2199
"""Of EC2, and of what can be calculated with."""


def moment(value: Any) -> str:
    """A date and time with an offset, in UTC."""
    if not isinstance(value, str):
        raise refuse(f"{value!r} is not a date and time", "write e.g. 2026-12-10T11:30:00Z")
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        message = f"{value!r} is not a date and time of ISO 8601"
        raise refuse(message, "write e.g. 2026-12-10T11:30:00Z") from None
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise refuse(f"no capacity is reserved in the year {found.year}", "correct the year")
    if found.tzinfo is None:
        # A local time would mean another instant on each machine.
        utc = _in_utc(found.replace(tzinfo=UTC))
        help = f"write {utc} if it is UTC, as AWS shows it, or add the offset, e.g. +01:00"
        raise refuse(f"{value!r} has no offset from UTC", help, utc, is_safe=False)
    return _in_utc(found)


def _in_utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _quantity(value: Any, parse: Callable[[Any], T]) -> T:
    """A quantity with a unit; for a bare number, the error lists its probable meanings."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise refuse(f"{value!r} is not a quantity", "write a number with its unit")
    try:
        return parse(as_typed(value))
    except QuantityError as error:
        raise refuse(error.message, error.help, error.write, is_safe=error.is_safe) from None


_OWN_BLOCK = "write the block of your own addresses, such as 203.0.113.0/24"


def network(value: Any) -> Any:
    """A CIDR block, in its normal form."""
    if not isinstance(value, str):
        return value
    try:
        block = ipaddress.ip_network(value)
    except ValueError:
        raise _no_network(value) from None
    if block.num_addresses == 1 and block.network_address.is_unspecified:
        raise refuse(f"{value!r} is no machine's address", _OWN_BLOCK)
    return str(block)


def source(value: Any) -> Any:
    """A CIDR block, or the id of a prefix list, which holds several."""
    return value if isinstance(value, str) and value.startswith("pl-") else network(value)


def _no_network(value: str) -> PydanticCustomError:
    message = f"{value!r} is not a CIDR block"
    try:
        found = ipaddress.ip_network(value, strict=False)
    except ValueError:
        return refuse(message, "write it as 203.0.113.0/24")
    if not found.prefixlen:
        return refuse(message, _OWN_BLOCK)
    block = str(found)
    return refuse(message, f"the block that holds it is {block}", block, is_safe=False)


def ipv4(value: Any) -> Any:
    """A block that is not IPv6."""
    if isinstance(value, str) and ":" in value:
        raise refuse(f"{value} is an IPv6 block", "nodes have IPv4 addresses: 10.42.0.0/16")
    return value


def subnet(value: Any) -> Any:
    """A subnet, or only its id."""
    return {"id": value} if isinstance(value, str) else value


def grant(value: Any) -> Any:
    """Access to a place in S3, or only the place, which can then be read."""
    return {"uri": value} if isinstance(value, str) else value


def count(value: Any) -> Any:
    """A count of nodes: a number, or a range."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            help = "write 0 or more, or {min: 0, max: N}"
            raise refuse(f"a count of {value} nodes", help, 0, is_safe=False)
        return {"min": int(value), "max": int(value)}
    if not isinstance(value, dict):
        raise _no_count(value)
    return value


def _no_count(value: Any) -> PydanticCustomError:
    message = f"{value!r} is not a count"
    named = number_in(str(value))
    match re.findall(r"[0-9]+", str(value)):
        case [] if named is not None:
            return refuse(message, f"write {named}", named)
        case [number]:
            return refuse(message, f"write {number}", int(number))
        case [low, high]:
            counts = {"min": int(low), "max": int(high)}
            return refuse(message, f"write {{min: {low}, max: {high}}}", counts)
        case _:
            return refuse(message, "write a whole number, or {min: 0, max: 64}")


def capacity(value: Any) -> Any:
    """A word, or one kind of reservation."""
    if value in ("on-demand", "spot"):
        return {value.replace("-", "_"): True}
    if isinstance(value, str):
        raise _no_capacity(value)
    if isinstance(value, dict):
        kinds = [word for word in value if word in PURCHASES]
        if not value.keys() - {*PURCHASES, *DATES} and len(kinds) != 1:
            raise refuse(
                f"expected one kind of capacity, found {len(kinds) or 'none'}",
                f"write one of {', '.join(kinds or PURCHASES)}",
            )
        for word in kinds:
            if isinstance(value[word], list):
                raise refuse(
                    f"a node group has one {word.replace('_', ' ')}, found {len(value[word])}",
                    "write a node group for each, and name them all in the queue's node_groups",
                )
        for word in ("on_demand", "spot"):
            if word in value:
                plain = word.replace("_", "-")
                if kinds:
                    message = f"a {kinds[0].replace('_', ' ')} is not {plain} capacity"
                    raise refuse(
                        message, f"write {kinds[0]} or capacity: {plain}, whichever you mean"
                    )
                raise _no_value(plain, dated=bool(value.keys() & set(DATES)))
    return value


def _no_value(plain: str, *, dated: bool) -> PydanticCustomError:
    help = f"write capacity: {plain}"
    if dated:
        message = f"{plain} capacity neither starts nor ends at a certain time"
        return refuse(message, help, plain, is_safe=False)
    return refuse(f"{plain} takes no value", help, plain)


def _no_capacity(value: str) -> PydanticCustomError:
    message = f"{value!r} is not a capacity"
    if value.startswith("cr-"):
        help = f"write {{reservation: {value}}} or {{capacity_block: {value}}}"
        return refuse(message, help)
    near = difflib.get_close_matches(value.lower(), ("on-demand", "spot"), n=1)
    if near:
        return refuse(message, f"did you mean {near[0]}?", near[0])
    return refuse(message, "write on-demand, spot, or e.g. {capacity_block: cr-...}")


def one_kind_of_type(group: T) -> T:
    """A node group with exactly one of the two fields for instance types."""
    one, several = getattr(group, "instance_type", None), getattr(group, "instance_types", None)
    if bool(one) == bool(several):
        raise refuse(
            f"node group {getattr(group, 'name', '')!r} needs instance_type or instance_types, "
            "and not both",
            "remove one of the two" if one else "add instance_type, the EC2 type of its nodes",
        )
    return group


def one_lifecycle_script(scripts: T) -> T:
    """Lifecycle scripts of which HyperPod runs exactly one."""
    names = [getattr(scripts, name, None) for name in ("on_create", "on_init_complete")]
    if bool(names[0]) == bool(names[1]):
        raise refuse(
            "lifecycle needs on_create or on_init_complete, and not both",
            "remove one of the two" if names[0] else "add on_create: on_create.sh",
        )
    return scripts


def accounting(value: Any) -> Any:
    """Accounting: off, managed, or a database."""
    if isinstance(value, bool):
        return "managed" if value else "off"
    if isinstance(value, str) and value not in ("off", "managed"):
        raise refuse(f"{value!r} is not an accounting mode", "off, managed, or {endpoint, secret}")
    return value
