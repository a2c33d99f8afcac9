"""The study area: the pack's paths, its grid, its mask and its samples.

Grid: 312 columns × 416 rows of 10 m cells in EPSG:28992 (RD New), aligned with sp's `meuse.grid`
(78 × 104 cells of 40 m), row 0 in the north. The mask is the ground of its 3,103 cells.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import shapely

PACK = Path(__file__).resolve().parent.parent
DATA = PACK / "data"
BUILD = PACK / "build"

EPSG = 28992
# PROJ's definition (EPSG:28992 with EPSG operation 15934, "Amersfoort to WGS 84 (4)", 1 m). Without
# +towgs84 the area would be 101 m off.
PROJ4 = (
    "+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 "
    "+x_0=155000 +y_0=463000 +ellps=bessel "
    "+towgs84=565.4171,50.3319,465.5524,-0.398957388243134,0.343987817378283,"
    "-1.87740163998045,4.0725 +units=m +no_defs"
)

WEST, NORTH = 178440.0, 333760.0
SOURCE_CELL, CELL = 40.0, 10.0
WIDTH, HEIGHT = 312, 416
FACTOR = int(SOURCE_CELL / CELL)


def rows_of(file: str) -> list[dict[str, str]]:
    with (DATA / file).open(newline="") as stream:
        return list(csv.DictReader(stream))


def cell_of(x: np.ndarray, y: np.ndarray, cell: float = CELL) -> tuple[np.ndarray, np.ndarray]:
    """(row, column) of the cells that contain the points."""
    return np.floor((NORTH - y) / cell).astype(int), np.floor((x - WEST) / cell).astype(int)


def centres() -> tuple[np.ndarray, np.ndarray]:
    """x and y of every cell centre, each HEIGHT × WIDTH."""
    x = WEST + CELL * (np.arange(WIDTH) + 0.5)
    y = NORTH - CELL * (np.arange(HEIGHT) + 0.5)
    return tuple(np.meshgrid(x, y))


def source_class(column: str) -> np.ndarray:
    """A class of `meuse.grid` on the 10 m grid by nearest neighbour; 0 outside the mask."""
    table = rows_of("meuse.grid.csv")
    x = np.array([float(row["x"]) for row in table])
    y = np.array([float(row["y"]) for row in table])
    coarse = np.zeros((HEIGHT // FACTOR, WIDTH // FACTOR), dtype=np.uint8)
    coarse[cell_of(x, y, SOURCE_CELL)] = [int(row[column]) for row in table]
    return np.kron(coarse, np.ones((FACTOR, FACTOR), dtype=np.uint8))


def mask() -> np.ndarray:
    return source_class("soil") > 0


def river() -> shapely.Polygon:
    return shapely.Polygon([(float(row["x"]), float(row["y"])) for row in rows_of("meuse.riv.csv")])


def samples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, y (m) and organic matter (%) of the 153 samples that have organic matter."""
    table = [row for row in rows_of("meuse.csv") if row["om"]]
    return tuple(np.array([float(row[name]) for row in table]) for name in ("x", "y", "om"))
