"""The limits of measurements of a property, from the table that the service reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from .commands import ROOT

_PLAIN = str.maketrans({"⁻": "-", "¹": "1", "²": "2", "³": "3", "^": None})


def plain_unit(unit: str) -> str:
    """Superscripts and signs of powers as plain digits."""
    return unit.translate(_PLAIN).replace("**", "")


@cache
def _usual() -> list[dict[str, Any]]:
    return json.loads((ROOT / "engine/model/pack/property-limits.json").read_text("utf-8"))


def limits_of(property: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """As `findLimits` of `engine/model/pack/property.ts`: the manifest's own, or else those of physics."""
    lower, upper = property.get("limits") or _usual_limits(property["name"], property["unit"])
    return lower, upper


def _usual_limits(name: str, unit: str) -> list[float | None]:
    plain = plain_unit(unit)
    for row in _usual():
        of_name = re.search(row.get("name", ""), name, re.IGNORECASE)
        if of_name and re.fullmatch(row.get("unit", ".*"), plain):
            return row["limits"]
    return [None, None]
