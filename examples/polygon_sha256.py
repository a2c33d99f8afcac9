"""Computes the value of a raster's tag POLYGON_SHA256 for each polygon on standard input.

Each line is one polygon in JSON, as sent in a job's `polygon`. The hash is of UTF-8 JSON without white space. Members have
the order in which they were sent, except that names that are whole numbers come first. Numbers and strings are formatted as
in ECMAScript (ECMA-262, JSON.stringify).
"""

import hashlib
import json
import math
import re
import sys
from decimal import Decimal


def format_json(value):
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(format_json, value)) + "]"
    if isinstance(value, dict):
        members = (f"{format_json(name)}:{format_json(value[name])}" for name in order_names(value))
        return "{" + ",".join(members) + "}"
    return json.dumps(value, ensure_ascii=False)


def format_number(value):
    """Formats the shortest decimal that parses to the same double: 5.0 as 5, and 1e-07 as 1e-7."""
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    digits, exponent = repr(value).split("e")
    return f"{digits.removesuffix('.0')}e{int(exponent):+d}"


def order_names(names):
    indexes = [name for name in names if re.fullmatch("0|[1-9][0-9]{0,9}", name)]
    indexes = sorted((name for name in indexes if int(name) < 2**32 - 1), key=int)
    return [*indexes, *(name for name in names if name not in indexes)]


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        polygon = json.loads(line, parse_int=float)
        # ECMAScript escapes a lone half of a surrogate pair, which UTF-8 cannot encode.
        hashed = format_json(polygon).encode("utf-8", "backslashreplace")
        print(hashlib.sha256(hashed).hexdigest())
