"""Step 1: writes the rasters of the covariates as Cloud Optimized GeoTIFFs on one grid in RD New. They have data only
inside the mask, the area of sp's `meuse.grid`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import rasterio
import shapely
from rasterio.transform import from_origin
from scipy.ndimage import gaussian_filter

PACK = Path(__file__).resolve().parent.parent
WEST, NORTH, CELL, WIDTH, HEIGHT = 178440.0, 333760.0, 10.0, 312, 416
TRANSFORM = from_origin(WEST, NORTH, CELL, CELL)
EPSG = 28992
# Edge of a cell of `meuse.grid` (40 m) ÷ `CELL`.
FACTOR = 4


def raster_of(name: str) -> Path:
    return PACK / "build" / "covariates" / f"{name}.tif"


def cell_centres() -> tuple[np.ndarray, np.ndarray]:
    """Returns x and y of the cell centres: rows × columns."""
    x = WEST + CELL * (np.arange(WIDTH) + 0.5)
    y = NORTH - CELL * (np.arange(HEIGHT) + 0.5)
    return tuple(np.meshgrid(x, y))


def resample_classes(column: str) -> np.ndarray:
    """Resamples a column of `meuse.grid` by nearest neighbour; 0 outside the mask."""
    table = pandas.read_csv(PACK / "data" / "meuse.grid.csv")
    rows = ((NORTH - table.y) // (FACTOR * CELL)).astype(int)
    columns = ((table.x - WEST) // (FACTOR * CELL)).astype(int)
    coarse = np.zeros((HEIGHT // FACTOR, WIDTH // FACTOR), np.uint8)
    coarse[rows, columns] = table[column]
    return np.kron(coarse, np.ones((FACTOR, FACTOR), np.uint8))


def smooth_classes(classes: np.ndarray) -> np.ndarray:
    """Smooths classes inside the mask with a Gaussian kernel (σ 40 m), to avoid steps of 40 m in the map."""
    weight = gaussian_filter((classes > 0).astype(float), FACTOR)
    return gaussian_filter(classes.astype(float), FACTOR) / np.where(classes > 0, weight, 1)


def write_covariates() -> None:
    x, y = cell_centres()
    east, north = x - WEST, y - (NORTH - HEIGHT * CELL)
    river = shapely.Polygon(pandas.read_csv(PACK / "data" / "meuse.riv.csv").to_numpy())
    soil = resample_classes("soil")
    layers = {
        "river_distance": (shapely.distance(river, shapely.points(x, y)), "m"),
        "flooding": (smooth_classes(resample_classes("ffreq")), None),
        # With oblique coordinates, trees can split along and across the valley (Møller et al. 2020,
        # SOIL 6, 269–289).
        "oblique_ne": ((north + east) / np.sqrt(2), "m"),
        "oblique_nw": ((north - east) / np.sqrt(2), "m"),
    }
    for name, (values, unit) in layers.items():
        inside = np.where(soil > 0, values, -9999).astype(np.float32)
        write_raster(name, inside, unit, nodata=-9999, overviews="AVERAGE")
    write_raster("soil_class", soil, None, nodata=0, overviews="NEAREST")


def write_raster(
    name: str, values: np.ndarray, unit: str | None, *, nodata: float, overviews: str
) -> None:
    path = raster_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with rasterio.open(
        path,
        "w",
        driver="COG",
        width=WIDTH,
        height=HEIGHT,
        count=1,
        dtype=values.dtype,
        crs=f"EPSG:{EPSG}",
        transform=TRANSFORM,
        nodata=nodata,
        blocksize=128,
        compress="DEFLATE",
        level=9,
        predictor="YES",
        overview_resampling=overviews,
    ) as raster:
        raster.write(values, 1)
        raster.set_band_description(1, name)
        if unit:
            raster.set_band_unit(1, unit)
