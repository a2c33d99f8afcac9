"""JSON values as dataclasses, by their type hints."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from functools import cache
from typing import Any, TypeVar

Kind = TypeVar("Kind")


def decode(cls: type[Kind], value: object, path: str = "") -> Kind:
    """Fields that the class does not have are ignored: a newer service may send more.

    :raises ValueError: naming the field that is missing or has another type
    """
    result: Kind = _decode(cls, value, path)
    return result


def _decode(hint: Any, value: object, path: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if value is None:
            return None
        (some,) = (one for one in arguments if one is not types.NoneType)
        return _decode(some, value, path)
    if origin is tuple:
        items = _expect(list, value, path)
        return tuple(_decode(arguments[0], one, f"{path}/{at}") for at, one in enumerate(items))
    if origin is dict:
        members = _expect(dict, value, path)
        return {key: _decode(arguments[1], one, f"{path}/{key}") for key, one in members.items()}
    if dataclasses.is_dataclass(hint):
        return _decode_object(hint, value, path)
    if hint is Any:
        return value
    # JSON has one kind of number; a bool is an int in Python.
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _finite(value, path)
    if hint is int and isinstance(value, bool):
        raise ValueError(f"{path} is not an integer")
    return _expect(hint, value, path)


def _decode_object(cls: Any, value: object, path: str) -> Any:
    members = _expect(dict, value, path)
    found = {}
    for name, hint, required in fields_of(cls):
        if name in members:
            found[name] = _decode(hint, members[name], f"{path}/{name}")
        elif required:
            raise ValueError(f"{path}/{name} is missing")
    try:
        return cls(**found)
    except ValueError as error:
        raise ValueError(f"{path}/{error}") from None


@cache
def fields_of(cls: Any) -> tuple[tuple[str, Any, bool], ...]:
    """Name, type, and whether the service always sends it."""
    hints = typing.get_type_hints(cls)
    return tuple(
        (field.name, hints[field.name], field.default is dataclasses.MISSING)
        for field in dataclasses.fields(cls)
    )


def _expect(kind: Any, value: object, path: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{path} is not of the type {kind.__name__}")
    return value


def _finite(value: float, path: str) -> float:
    """JSON's numbers have no bound: `1e400` becomes infinity."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{path} is no number that a double can hold")
    return number
