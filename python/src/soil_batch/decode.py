"""Decodes JSON values to dataclasses by their type hints."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

Kind = TypeVar("Kind")
#: Decodes a value, or raises a ValueError whose message begins with the path to the wrong member.
Decoder = Callable[[Any], Any]


def decode(cls: type[Kind], value: object) -> Kind:
    """Decodes a value. Fields that the class lacks are ignored: a newer service may send more.

    :raises ValueError: naming the field that is missing or invalid
    """
    hint: Any = cls
    result: Kind = _decoder_of(hint)(value)
    return result


# Cached, because reading type hints takes longer than decoding a value.
@cache
def _decoder_of(hint: Any) -> Decoder:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        (decoder,) = (_decoder_of(one) for one in arguments if one is not types.NoneType)
        return lambda value: None if value is None else decoder(value)
    if origin is tuple:
        item = _decoder_of(arguments[0])
        return lambda value: tuple(
            _decode_member(item, at, one) for at, one in enumerate(_expect(list, value))
        )
    if origin is dict:
        member = _decoder_of(arguments[1])
        return lambda value: {
            key: _decode_member(member, key, one) for key, one in _expect(dict, value).items()
        }
    if dataclasses.is_dataclass(hint):
        return _object_decoder(hint)
    if hint is Any:
        return lambda value: value
    if hint is float:
        return _decode_number
    return _decode_integer if hint is int else lambda value: _expect(hint, value)


def _decode_member(decoder: Decoder, key: object, value: Any) -> Any:
    try:
        return decoder(value)
    except ValueError as error:
        raise ValueError(f"/{key}{error}") from None


def _object_decoder(cls: Any) -> Decoder:
    fields = [
        (name, _decoder_of(hint), required) for name, hint, required in list_dataclass_fields(cls)
    ]

    def decode_object(value: Any) -> Any:
        members = _expect(dict, value)
        found = {}
        for name, decoder, required in fields:
            if name in members:
                found[name] = _decode_member(decoder, name, members[name])
            elif required:
                raise ValueError(f"/{name} is missing")
        try:
            return cls(**found)
        except ValueError as error:
            raise ValueError(f"/{error}") from None

    return decode_object


@cache
def list_dataclass_fields(cls: Any) -> tuple[tuple[str, Any, bool], ...]:
    """Returns the name and type of each field, and whether it is required, because it has no default."""
    hints = typing.get_type_hints(cls)
    return tuple(
        (field.name, hints[field.name], field.default is dataclasses.MISSING)
        for field in dataclasses.fields(cls)
    )


def _expect(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f" is not of type {kind.__name__}")
    return value


def _decode_integer(value: Any) -> Any:
    # A bool is an int in Python.
    if isinstance(value, bool):
        raise ValueError(" is not an integer")
    return _expect(int, value)


def _decode_number(value: Any) -> float:
    """Decodes a number. JSON numbers are unbounded: `1e400` becomes infinity, which is rejected."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(" is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(" does not fit into a double")
    return number
