"""POLYGON_SHA256 of polygons, one line of JSON each on the standard input, as a job's `polygon` was sent.

What is hashed: the JSON in UTF-8 without white space, members in the order sent (those named by a whole number first), and
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
    """The shortest decimal that reads back as the same double: 5.0 is 5, and 1e-07 is 1e-7."""
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
        # ECMAScript escapes half of a surrogate pair, which UTF-8 cannot hold.
        hashed = text(polygon).encode("utf-8", "backslashreplace")
        print(hashlib.sha256(hashed).hexdigest())
