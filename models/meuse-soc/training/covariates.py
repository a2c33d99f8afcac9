"""The covariates on the 10 m grid. The samples take their values from these rasters too, so that
training and prediction use the same values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import rasterio
import shapely
from rasterio.crs import CRS
from rasterio.io import MemoryFile
from rasterio.shutil import copy as copy_raster
from scipy import ndimage

import area

FLOAT_NODATA = -9999.0
CLASS_NODATA = 0
# The flooding class is smoothed over about one source cell, which hides the 40 m steps.
SMOOTHING_M = 40.0


@dataclass(frozen=True)
class Covariate:
    """One feature of the model; `axis` marks a coordinate, which needs no file."""

    name: str
    description: str
    unit: str | None
    native_cell_size: float | None = None
    axis: str | None = None
    dtype: str = "float32"

    @property
    def href(self) -> str:
        return f"build/covariates/{self.name}.tif"

    @property
    def nodata(self) -> float:
        return FLOAT_NODATA if self.dtype == "float32" else CLASS_NODATA


COVARIATES = (
    Covariate(
        "river_distance",
        "Distance from the cell centre to the river's outline (meuse.riv); 0 inside the river",
        "m",
    ),
    Covariate(
        "soil_class",
        "Soil class: 1 Rd10A, 2 Rd90C/VII, 3 Bkd26/VII (meuse.grid, nearest neighbour)",
        None,
        native_cell_size=area.SOURCE_CELL,
        dtype="uint8",
    ),
    Covariate(
        "flooding",
        "Flooding class (1: every 2 years, 2: every 10, 3: every 50; meuse.grid, nearest"
        " neighbour), averaged inside the mask with a Gaussian kernel of 40 m",
        None,
        native_cell_size=area.SOURCE_CELL,
    ),
    Covariate("x", "Easting of the cell centre (RD New)", "m", axis="x"),
    Covariate("y", "Northing of the cell centre (RD New)", "m", axis="y"),
    Covariate(
        "oblique_ne",
        "Oblique coordinate towards the north-east, from the grid's south-west corner",
        "m",
    ),
    Covariate(
        "oblique_nw",
        "Oblique coordinate towards the north-west, from the grid's south-west corner",
        "m",
    ),
)
NAMES = tuple(covariate.name for covariate in COVARIATES)


def smoothed(classes: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The classes' Gaussian mean inside the mask; cells outside have no weight."""
    sigma = SMOOTHING_M / area.CELL
    weight = ndimage.gaussian_filter(mask.astype(float), sigma)
    total = ndimage.gaussian_filter(np.where(mask, classes, 0).astype(float), sigma)
    return total / np.where(mask, weight, 1)


def layers() -> dict[str, np.ndarray]:
    """Every covariate on the whole grid as float32 (HEIGHT × WIDTH), without the mask."""
    x, y = area.centres()
    east, north = x - area.WEST, y - (area.NORTH - area.HEIGHT * area.CELL)
    values = {
        "river_distance": shapely.distance(area.river(), shapely.points(x, y)),
        "soil_class": area.source_class("soil"),
        "flooding": smoothed(area.source_class("ffreq"), area.mask()),
        "x": x,
        "y": y,
        # Oblique coordinates let trees cut along and across the valley instead of in squares
        # (Møller et al. 2020, SOIL 6, 269–289, doi:10.5194/soil-6-269-2020).
        "oblique_ne": (north + east) / np.sqrt(2),
        "oblique_nw": (north - east) / np.sqrt(2),
    }
    return {name: values[name].astype(np.float32) for name in NAMES}


def write(covariate: Covariate, values: np.ndarray, mask: np.ndarray) -> None:
    """Writes a Cloud Optimized GeoTIFF with nodata outside the mask."""
    path = area.PACK / covariate.href
    path.parent.mkdir(parents=True, exist_ok=True)
    profile = {
        "driver": "GTiff",
        "width": area.WIDTH,
        "height": area.HEIGHT,
        "count": 1,
        "dtype": covariate.dtype,
        "crs": CRS.from_epsg(area.EPSG),
        "transform": rasterio.transform.from_origin(area.WEST, area.NORTH, area.CELL, area.CELL),
        "nodata": covariate.nodata,
    }
    with MemoryFile() as memory:
        with memory.open(**profile) as raster:
            raster.write(np.where(mask, values, covariate.nodata).astype(covariate.dtype), 1)
            raster.set_band_description(1, covariate.name)
            if covariate.unit:
                raster.set_band_unit(1, covariate.unit)
        with memory.open() as raster:
            copy_raster(
                raster,
                path,
                driver="COG",
                blocksize=128,
                compress="DEFLATE",
                level=9,
                predictor="YES",
                overview_resampling="NEAREST" if covariate.dtype == "uint8" else "AVERAGE",
            )


def write_all() -> None:
    mask, values = area.mask(), layers()
    for covariate in COVARIATES:
        if covariate.axis is None:
            write(covariate, values[covariate.name], mask)


def read_stack() -> np.ndarray:
    """All covariates from the pack's files: HEIGHT × WIDTH × features, NaN for nodata."""
    x, y = area.centres()
    stack = []
    for covariate in COVARIATES:
        if covariate.axis is not None:
            stack.append((x if covariate.axis == "x" else y).astype(np.float32))
            continue
        with rasterio.open(area.PACK / covariate.href) as raster:
            values = raster.read(1).astype(np.float32)
            stack.append(np.where(values == raster.nodata, np.float32(np.nan), values))
    return np.stack(stack, axis=-1)


def at_samples() -> np.ndarray:
    """The samples' covariates (samples × features, float32), from the cells that contain them."""
    x, y, _ = area.samples()
    features = read_stack()[area.cell_of(x, y)]
    if np.isnan(features).any():
        raise ValueError("a sample lies outside the mask")
    return features
