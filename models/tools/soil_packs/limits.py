"""Finds the limits of a property's measurements in the table that the service uses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from .commands import ROOT

_PLAIN = str.maketrans({"⁻": "-", "¹": "1", "²": "2", "³": "3", "^": None})


def plain_unit(unit: str) -> str:
    return unit.translate(_PLAIN).replace("**", "")


@cache
def _read_usual_limits() -> list[dict[str, Any]]:
    return json.loads((ROOT / "engine/model/pack/property-limits.json").read_text("utf-8"))


def find_limits(property: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Returns the manifest's limits or, without these, the usual limits for the name and unit, as does `findLimits` in
    `engine/model/pack/property.ts`."""
    lower, upper = property.get("limits") or _find_usual_limits(property["name"], property["unit"])
    return lower, upper


def _find_usual_limits(name: str, unit: str) -> list[float | None]:
    plain = plain_unit(unit)
    for row in _read_usual_limits():
        of_name = re.search(row.get("name", ""), name, re.IGNORECASE)
        if of_name and re.fullmatch(row.get("unit", ".*"), plain):
            return row["limits"]
    return [None, None]
