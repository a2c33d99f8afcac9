"""Reads the cells of the maps for a histogram of all fields and small pictures of the largest fields."""

from __future__ import annotations

import base64
import math
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..extras import numpy, rasterio
from ..results.display_range import limit_value
from ..results.facts import ModelFacts, ShownBands
from ..results.mosaics import open_raster
from .colours import BU_PU, Scale, create_scale
from .fields import PredictedField
from .fields_map import METRES_PER_DEGREE
from .numbers import choose_step

_MOST_PIXELS = 96
_MOST_PICTURED = 24
#: The maximum total size of the pictures in a report, as encoded in its page.
MOST_PICTURE_BYTES = 2 * 1024**2
# More fields would hardly change the histogram.
_MOST_READ = 2000
_MOST_BINS = 24
# Rasters without overviews are decoded whole, so larger ones are skipped.
_MOST_DECODED = 4096**2


@dataclass(frozen=True)
class Histogram:
    low: float
    step: float
    hectares: Sequence[float]
    #: The number of fields, and whether their cells or their means are counted.
    fields: int
    is_of_cells: bool

    @property
    def high(self) -> float:
        return self.low + self.step * len(self.hectares)


@dataclass(frozen=True)
class Picture:
    #: The PNG as a data URL.
    source: str
    least: float
    greatest: float


@dataclass(frozen=True)
class FieldPicture:
    field: PredictedField
    #: Size on the ground in metres.
    width: float
    height: float
    mean: Picture
    #: The picture of upper − lower bound; None for a model without bounds.
    spread: Picture | None


@dataclass(frozen=True)
class Cells:
    histogram: Histogram
    pictures: Sequence[FieldPicture]
    #: The scale of the pictures of upper − lower bound; None if there are none.
    spread: Scale | None
    #: The level of the bounds: the share of values that they contain.
    level: float

    @property
    def picture_bytes(self) -> int:
        ones = [picture for one in self.pictures for picture in (one.mean, one.spread)]
        return sum(len(one.source) for one in ones if one is not None)


@dataclass(frozen=True)
class _RasterCells:
    #: The mean, as a masked array.
    mean: Any
    spread: Any
    width: float
    height: float


def read_cells(
    fields: Sequence[PredictedField], model: ModelFacts | None, scale: Scale, budget: int
) -> Cells:
    """:param budget: the number of bytes left for pictures"""
    ends = create_scale(
        min(one.summary.cell_min for one in fields), max(one.summary.cell_max for one in fields)
    )
    step = choose_step(ends.low, ends.high, _MOST_BINS)
    low = math.floor(ends.low / step) * step
    bins = [0.0] * (math.floor((ends.high - low) / step) + 1)
    bands = None if model is None else model.shown_bands
    found: list[tuple[PredictedField, _RasterCells]] = []
    used = 0
    largest = sorted(fields, key=lambda one: one.summary.predicted_area_ha, reverse=True)
    with suppress(ImportError):
        for one in largest[:_MOST_READ]:
            if one.raster is None or bands is None:
                continue
            is_pictured = len(found) < _MOST_PICTURED
            read = _read_raster(one.raster, bands if is_pictured else replace(bands, bounds=None))
            if read is None:
                continue
            used += 1
            hectares = max(limit_value(one.summary.predicted_area_ha), 0)
            places = ((read.mean.compressed() - low) / step).clip(0, len(bins) - 1)
            for place in places.astype(int).tolist():
                bins[place] += hectares / len(places)
            if is_pictured:
                found.append((one, read))
    if used == 0:
        for one in fields:
            place = min(max((one.summary.mean - low) / step, 0), len(bins) - 1)
            bins[int(place)] += max(limit_value(one.summary.predicted_area_ha), 0)
    histogram = Histogram(low, step, bins, used or len(fields), used > 0)
    level = 0.0 if bands is None else bands.level
    return Cells(histogram, *_draw_pictures(found, scale, budget), level)


def _read_raster(path: Path, bands: ShownBands) -> _RasterCells | None:
    """Returns None for a raster that has no value, cannot be read, or is large and has no overviews."""
    try:
        with open_raster(path) as source:
            wanted = [bands.mean, *(bands.bounds or ())]
            factor = max(source.width, source.height) / _MOST_PIXELS
            is_large = source.width * source.height > _MOST_DECODED
            if max(wanted) > source.count or (is_large and not source.overviews(bands.mean)):
                return None
            shape = [max(round(one / max(factor, 1)), 1) for one in source.shape]
            raw = source.read(wanted, out_shape=(len(wanted), *shape), masked=True)
            values = [
                numpy().ma.masked_invalid(one * source.scales[at - 1] + source.offsets[at - 1])
                for at, one in zip(wanted, raw.astype(float))
            ]
            wide, tall = source.width * source.res[0], source.height * source.res[1]
            if source.crs.is_geographic:
                middle = math.radians((source.bounds.top + source.bounds.bottom) / 2)
                wide, tall = wide * METRES_PER_DEGREE * math.cos(middle), tall * METRES_PER_DEGREE
            else:
                metres = source.crs.linear_units_factor[1]
                wide, tall = wide * metres, tall * metres
    # The raster is not georeferenced, or damaged.
    except (AttributeError, OSError, ValueError):
        return None
    if any(one.count() == 0 for one in values):
        return None
    spread = values[2] - values[1] if bands.bounds else None
    return _RasterCells(values[0], spread, wide, tall)


def _draw_pictures(
    found: Sequence[tuple[PredictedField, _RasterCells]], scale: Scale, budget: int
) -> tuple[list[FieldPicture], Scale | None]:
    widths = [read.spread for _, read in found if read.spread is not None]
    spread_scale = None
    if widths:
        least, most = (min(map(_least, widths)), max(map(_greatest, widths)))
        spread_scale = create_scale(least, most, BU_PU)
    pictures: list[FieldPicture] = []
    for field, read in found:
        mean = _draw_picture(read.mean, scale)
        spread = None
        if spread_scale is not None and read.spread is not None:
            spread = _draw_picture(read.spread, spread_scale)
        budget -= len(mean.source) + (0 if spread is None else len(spread.source))
        if budget < 0:
            break
        pictures.append(FieldPicture(field, read.width, read.height, mean, spread))
    return pictures, spread_scale if pictures else None


def _draw_picture(values: Any, scale: Scale) -> Picture:
    """Draws a PNG of one band with a palette, whose last colour is transparent."""
    levels = ((values - scale.low) / (scale.high - scale.low) * 254).clip(0, 254)
    indexes = levels.round().filled(255).astype("uint8")
    palette = {at: (*scale.rgb(at / 254), 255) for at in range(255)} | {255: (0, 0, 0, 0)}
    height, width = indexes.shape
    with warnings.catch_warnings(), rasterio().Env(GDAL_PAM_ENABLED="NO"):
        warnings.simplefilter("ignore", rasterio().errors.NotGeoreferencedWarning)
        with rasterio().MemoryFile() as file:
            with file.open(driver="PNG", width=width, height=height, count=1, dtype="uint8") as png:
                png.write(indexes, 1)
                png.write_colormap(1, palette)
            encoded = base64.b64encode(file.read()).decode("ascii")
    return Picture(f"data:image/png;base64,{encoded}", _least(values), _greatest(values))


def _least(values: Any) -> float:
    return float(values.min())


def _greatest(values: Any) -> float:
    return float(values.max())
