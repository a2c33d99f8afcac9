"""The pack's tables of samples."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from pyproj import Transformer

PACK = Path(__file__).resolve().parent.parent
ROOT = PACK.parent.parent

to_map = Transformer.from_crs("EPSG:4326", "EPSG:2056", always_xy=True)


def columns_in(text: str, names: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """The columns of a table: numbers, except `names`."""
    rows = list(csv.DictReader(text.splitlines()))
    return {
        column: np.array([row[column] if column in names else float(row[column]) for row in rows])
        for column in rows[0]
    }


def columns_of(path: str, names: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """The columns of a file of the pack."""
    return columns_in((PACK / path).read_text(), names)


def places_of(samples: dict[str, np.ndarray]) -> np.ndarray:
    """Easting and northing of each sample, in metres."""
    return np.column_stack(to_map.transform(samples["lon"], samples["lat"]))
