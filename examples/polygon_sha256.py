"""Computes POLYGON_SHA256 of polygons on standard input, one line of JSON each, as sent in a job's `polygon`.

The hash is of UTF-8 JSON without white space, with members in the order sent (names that are whole numbers first), and
numbers and strings as ECMAScript writes them (ECMA-262, JSON.stringify).
"""

import hashlib
import json
import math
import re
import sys
from decimal import Decimal


def text(value):
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{text(name)}:{text(value[name])}" for name in ordered(value)) + "}"
    return json.dumps(value, ensure_ascii=False)


def number(value):
    """Formats the shortest decimal that parses to the same double: 5.0 as 5, and 1e-07 as 1e-7."""
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    digits, exponent = repr(value).split("e")
    return f"{digits.removesuffix('.0')}e{int(exponent):+d}"


def ordered(names):
    indexes = [name for name in names if re.fullmatch("0|[1-9][0-9]{0,9}", name)]
    indexes = sorted((name for name in indexes if int(name) < 2**32 - 1), key=int)
    return [*indexes, *(name for name in names if name not in indexes)]


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        polygon = json.loads(line, parse_int=float)
        # ECMAScript escapes half of a surrogate pair, which UTF-8 cannot encode.
        hashed = text(polygon).encode("utf-8", "backslashreplace")
        print(hashlib.sha256(hashed).hexdigest())
