"""The pack's tables of samples."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from pyproj import Transformer

PACK = Path(__file__).resolve().parent.parent
ROOT = PACK.parent.parent

to_map = Transformer.from_crs("EPSG:4326", "EPSG:2056", always_xy=True)


def columns_of(path: str, texts: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """The columns of a table of the pack: numbers, except `texts`."""
    with (PACK / path).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {
        name: np.array([row[name] if name in texts else float(row[name]) for row in rows])
        for name in rows[0]
    }


def places_of(samples: dict[str, np.ndarray]) -> np.ndarray:
    """Easting and northing of each sample, in metres."""
    return np.column_stack(to_map.transform(samples["lon"], samples["lat"]))
