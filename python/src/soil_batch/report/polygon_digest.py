"""Computes POLYGON_SHA256 of a job's polygon in the same way as the service.

The digest is of JSON without white space, with numbers formatted as in ECMAScript (ECMA-262, JSON.stringify).
"""

from __future__ import annotations

import hashlib
import json
import math
from decimal import Decimal
from typing import Any


def polygon_digest(polygon: Any) -> str:
    return hashlib.sha256(
        _to_ecmascript_json(polygon).encode("utf-8", "backslashreplace")
    ).hexdigest()


def _to_ecmascript_json(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _format_number(float(value))
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(_to_ecmascript_json, value))}]"
    if isinstance(value, dict):
        members = (
            f"{_to_ecmascript_json(name)}:{_to_ecmascript_json(one)}" for name, one in value.items()
        )
        return f"{{{','.join(members)}}}"
    return json.dumps(value, ensure_ascii=False)


def _format_number(value: float) -> str:
    """Formats the shortest decimal that parses to the same double: 5.0 as 5, and 1e-07 as 1e-7."""
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    digits, exponent = repr(value).split("e")
    return f"{digits.removesuffix('.0')}e{int(exponent):+d}"
