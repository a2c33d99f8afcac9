"""The maps of a year of a run: their cells at places, and random places in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any, TypeVar

from ..chunks import RunJob
from ..errors import SoilError, invalid_input
from ..extras import numpy, rasterio, shapely
from ..fields import Fields, shape_of
from ..files_here import FilesHere
from ..folder import Folder, folder_error
from ..known import read_known
from ..report.fields_map import METRES_PER_DEGREE
from ..report.files import checked_file
from ..report.polygon_digest import polygon_digest
from ..results.facts import ModelFacts, stored_facts
from ..results.mosaics import opened_raster
from ..schemas.jobs import Job, JobSummary
from ..schemas.models import ModelError
from ..stored import read_stored
from .mean_error import first_names

Kind = TypeVar("Kind")

# This is a hundredth of a metre; drawn places are rounded before they are tested, so that a file holds the same.
_DECIMALS = 7
# This many draws find a field of a ten-thousandth of a cell.
_MOST_TRIED = 50_000_000
_TRIED_AT_ONCE = 1_000_000
# These cells take 64 MB; larger rasters are read each time.
_MOST_KEPT = 4_000_000
# Just below the 1.96 of a 95 % interval.
_Z_OF_95 = 1.95


@dataclass(frozen=True)
class ErrorOfCells:
    """How a model says that the errors of its cells are distributed (docs/intervals.md)."""

    #: Standard normal quantile of the upper bound.
    z: float
    #: Bands of the bounds, counted from 1.
    lower: int
    upper: int
    #: Standard deviation of the part that all cells share, ÷ value.
    systematic: float
    #: Factor of each cell's own standard deviation.
    standardised_sd: float
    #: None if the model declares no correlation.
    nugget: float | None
    range_m: float | None

    def own_sd(self, mean: Any, lower: Any, upper: Any) -> Any:
        """Without the part that all cells share, and times the factor."""
        np = numpy()
        below, above = np.maximum(mean - lower, 0), np.maximum(upper - mean, 0)
        skewed = 3 if self.z < _Z_OF_95 else 1
        variance = ((below + above) ** 2 + skewed * (above - below) ** 2) / (4 * self.z**2)
        own = np.sqrt(np.maximum(variance - (self.systematic * mean) ** 2, 0))
        return self.standardised_sd * own


@dataclass(frozen=True)
class Places:
    """Arrays of one length. `sd` is that of the cell's own error, NaN for a model without bounds."""

    #: The map of each place, by its index.
    map: Any
    lon: Any
    lat: Any
    mean: Any
    sd: Any

    def at(self, chosen: Any) -> Places:
        parts = (self.map, self.lon, self.lat, self.mean, self.sd)
        return Places(*(part[chosen] for part in parts))


@dataclass(frozen=True)
class Map:
    run_job: RunJob
    job: Job
    summary: JobSummary
    #: GeoJSON in degrees.
    outline: Any

    @cached_property
    def polygon(self) -> Any:
        shape = shape_of(self.outline)
        shapely().prepare(shape)
        return shape

    @cached_property
    def digest(self) -> str:
        return polygon_digest(self.outline)

    @property
    def label(self) -> str:
        return f"{self.run_job.name} (field {self.run_job.field_index + 1})"


@dataclass(frozen=True)
class RunMaps:
    """The maps of one year and model over all fields that have one."""

    folder: Folder
    here: FilesHere
    fields: Fields
    #: The column whose values are the run's strata.
    stratum: str | None
    year: int
    #: The model as the run names it; None for the first that fits.
    model: str | None
    maps: Sequence[Map]
    fields_without_map: int
    models: Sequence[ModelFacts]

    @property
    def unit(self) -> str:
        return self.maps[0].summary.unit

    @cached_property
    def areas_ha(self) -> Any:
        """With values, of each map."""
        return numpy().array([one.summary.predicted_area_ha for one in self.maps])

    @property
    def area_ha(self) -> float:
        return math.fsum(self.areas_ha)

    @property
    def mean(self) -> float:
        means = (one.summary.mean * one.summary.predicted_area_ha for one in self.maps)
        return math.fsum(means) / self.area_ha

    @cached_property
    def tonnes_per_mean(self) -> float | None:
        """On all the area for a mean of 1: thickness × area, which the map's largest mean shows best."""
        one = max((one.summary for one in self.maps), key=lambda one: abs(one.mean))
        if one.stock is None or one.mean == 0:
            return None
        return one.stock.value / (one.mean * one.predicted_area_ha) * self.area_ha

    @property
    def substance(self) -> str | None:
        stocks = (one.summary.stock for one in self.maps)
        return next((stock.substance for stock in stocks if stock is not None), None)

    def facts_of(self, of: Map) -> ModelFacts:
        for one in self.models:
            if one.described.model == of.job.model and one.shown_bands is not None:
                return one
        raise invalid_input(f"models.json does not say which band of {of.job.model} is the mean")

    @cached_property
    def overlap_ha(self) -> float:
        """That two fields share, summed over all pairs."""
        np = numpy()
        shapes = np.array([one.polygon for one in self.maps])
        one, other = shapely().STRtree(shapes).query(shapes, predicate="intersects")
        one, other = one[one < other], other[one < other]
        shared = shapely().intersection(shapes[one], shapes[other])
        across = np.cos(np.radians(shapely().bounds(shapes[one])[:, 1]))
        return float((shapely().area(shared) * across).sum()) * METRES_PER_DEGREE**2 / 10_000

    @cached_property
    def error(self) -> ErrorOfCells | None:
        """None if a model declares no bounds, or if the maps are of several."""
        if len({one.job.model for one in self.maps}) > 1:
            return None
        published = self.facts_of(self.maps[0]).published
        if published is None or published.error is None:
            return None
        error: ModelError = published.error
        names = [band.name for band in published.bands]
        lower, upper = names.index(error.lower), names.index(error.upper)
        level = (published.bands[upper].level or 0) - (published.bands[lower].level or 0)
        return ErrorOfCells(
            NormalDist().inv_cdf((1 + level) / 2),
            lower + 1,
            upper + 1,
            error.systematic_relative_sd,
            error.standardised_sd,
            None if error.correlation is None else error.correlation.nugget,
            None if error.correlation is None else error.correlation.range_m,
        )

    def cells_of(self, at: int) -> Cells:
        """:raises SoilError: if the raster is not as it was downloaded"""
        kept, of = self._cells, self.maps[at]
        if at in kept:
            return kept[at]
        path = self.folder.path / of.run_job.file
        file = checked_file(self.folder, self.here, of.run_job.file)
        if file is None or file.state != "unchanged":
            raise folder_error(f"{path} is not as it was downloaded")
        bands = self.facts_of(of).shown_bands
        assert bands is not None
        found = Cells.of(path, bands.mean, self.error)
        if found.mean.size + sum(one.mean.size for one in kept.values()) <= _MOST_KEPT:
            kept[at] = found
        return found

    @cached_property
    def _cells(self) -> dict[int, Cells]:
        return {}

    def draw(self, random: Any, among: Any, count: int) -> Places:
        """Draws random places, uniform over the combined area of some maps in which cells have a value.

        :param among: the indexes of these maps, as an array
        :raises InvalidRequest: if no cell of these maps has a value
        """
        np = numpy()
        areas = self.areas_ha[among]
        if not areas.sum() > 0:
            labels = [self.maps[index].label for index in among]
            raise invalid_input(
                f"places cannot be drawn where no cell has a value: {first_names(labels)}"
            )
        drawn = random.choice(among, count, p=areas / areas.sum())
        found = Places(drawn, *(np.full(count, np.nan) for _ in range(4)))
        order = np.argsort(drawn, kind="stable")
        indexes, starts = np.unique(drawn[order], return_index=True)
        for index, chosen in zip(indexes.tolist(), np.split(order, starts[1:])):
            cells = self.cells_of(index)
            lon, lat, mean, sd = cells.draw(random, self.maps[index], len(chosen))
            found.lon[chosen], found.lat[chosen] = lon, lat
            found.mean[chosen], found.sd[chosen] = mean, sd
        return found


@dataclass(frozen=True)
class Cells:
    """The values of a raster."""

    name: str
    crs: Any
    transform: Any
    #: NaN where a cell has no value.
    mean: Any
    sd: Any

    @staticmethod
    def of(path: Path, band: int, error: ErrorOfCells | None) -> Cells:
        np = numpy()
        bands = [band] if error is None else [band, error.lower, error.upper]
        try:
            with opened_raster(path) as source:
                raw = source.read(bands, masked=True)
                values = [
                    np.ma.filled(one.astype(float), np.nan) * source.scales[at - 1]
                    + source.offsets[at - 1]
                    for at, one in zip(bands, raw)
                ]
                crs, transform = source.crs, source.transform
        except rasterio().errors.RasterioError as failure:
            raise SoilError(f"{path.name} cannot be read: {failure}", type="folder") from None
        sd = np.full_like(values[0], np.nan) if error is None else error.own_sd(*values)
        return Cells(path.name, crs, transform, values[0], sd)

    def at(self, lon: Any, lat: Any) -> tuple[Any, Any]:
        """Mean and standard deviation of the cells at these places."""
        np = numpy()
        # Fields are stored as GeoJSON, which has the longitude first (RFC 7946).
        x, y = rasterio().warp.transform("OGC:CRS84", self.crs, lon, lat)
        col, row = _moved(~self.transform, np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        rows, cols = self.mean.shape
        inside = (col >= 0) & (row >= 0) & (col < cols) & (row < rows)
        cell = (np.where(inside, row, 0).astype(int), np.where(inside, col, 0).astype(int))
        return tuple(np.where(inside, values[cell], np.nan) for values in (self.mean, self.sd))

    @property
    def metres(self) -> float:
        """The longer edge of a cell, about."""
        edge = max(abs(self.transform.a), abs(self.transform.e))
        if self.crs.is_geographic:
            return float(edge * METRES_PER_DEGREE)
        return float(edge * self.crs.linear_units_factor[1])

    def draw(self, random: Any, of: Map, count: int) -> tuple[Any, Any, Any, Any]:
        """Uniform in the part of the polygon whose cells have a value: in random cells, those inside stay."""
        np = numpy()
        rows, cols = np.nonzero(~np.isnan(self.mean))
        found: list[tuple[Any, ...]] = []
        have = tried = 0
        size = 4 * count + 100
        while have < count:
            if len(rows) == 0 or tried > _MOST_TRIED:
                raise invalid_input(f"{self.name} has no cell with a value in {of.label}")
            cell = random.integers(0, len(rows), size)
            col, row = cols[cell] + random.random(size), rows[cell] + random.random(size)
            x, y = _moved(self.transform, col, row)
            lon, lat = map(np.array, rasterio().warp.transform(self.crs, "OGC:CRS84", x, y))
            lon, lat = lon.round(_DECIMALS), lat.round(_DECIMALS)
            inside = shapely().contains_xy(of.polygon, lon, lat)
            if self.crs.is_geographic:
                # Cells of degrees are narrower towards the poles.
                narrow = np.cos(np.radians(lat))
                inside &= random.random(size) * narrow.max() < narrow
            lon, lat = lon[inside], lat[inside]
            mean, sd = self.at(lon, lat)
            valued = ~np.isnan(mean)
            found.append(tuple(one[valued] for one in (lon, lat, mean, sd)))
            have += int(valued.sum())
            tried += size
            size = min(4 * size, _TRIED_AT_ONCE)
        lon, lat, mean, sd = (np.concatenate(parts)[:count] for parts in zip(*found))
        return lon, lat, mean, sd


def maps_of(folder: Folder, year: int | None, model: str | None = None) -> RunMaps:
    """From the files of the folder alone."""
    known = read_known(None, read_stored(folder))
    state, fields = known.stored.state, known.stored.fields
    year = _chosen(state.years, year, "year")
    model = _chosen(state.models or (None,), model, "model")
    of_year = [one for one in known.stored.jobs if (one.year, one.model) == (year, model)]
    maps = [
        Map(job, one.job, one.job.summary, fields.wgs84[job.field_index])
        for job in of_year
        if (one := known.outcomes.jobs.get(job.index)) and one.job.summary
    ]
    if not maps:
        raise invalid_input(f"{folder.path} has no map of {year}")
    models = stored_facts(known.here).models or ()
    without = len(of_year) - len(maps)
    made = RunMaps(folder, known.here, fields, state.stratum, year, model, maps, without, models)
    require_alike(made)
    return made


def require_alike(*runs: RunMaps) -> tuple[float, ...] | None:
    """The layer of all maps.

    :raises InvalidRequest: if they are not of one property, unit and layer, as where a service chose other models for
        some fields
    """
    maps = [(one.summary, run.facts_of(one).described) for run in runs for one in run.maps]
    for what, values in (
        ("units", {summary.unit for summary, _ in maps}),
        ("properties", {described.property for _, described in maps}),
        ("layers", {described.depth_cm for _, described in maps}),
        ("substances", {one.stock.substance for one, _ in maps if one.stock is not None}),
    ):
        if len(values) > 1:
            named = " and ".join(sorted(map(str, values)))
            raise invalid_input(
                f"the maps have different {what}: {named}. Run the fields with one model: --model"
            )
    return maps[0][1].depth_cm


def _chosen(ones: Sequence[Kind], wanted: Kind | None, what: str) -> Kind:
    named = ", ".join(map(str, ones))
    if wanted is None and len(ones) > 1:
        raise invalid_input(f"the run has maps of several {what}s ({named}): choose one")
    if wanted is not None and wanted not in ones:
        raise invalid_input(f"the run has no {what} {wanted}; it has: {named}")
    return ones[0] if wanted is None else wanted


def _moved(by: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Arrays of coordinates by an affine transform."""
    return by.a * x + by.b * y + by.c, by.d * x + by.e * y + by.f


def metres_of(lon: Any, lat: Any, around: tuple[float, float]) -> Any:
    """Plane coordinates around a place (longitude, latitude), in rows; across the antimeridian, too."""
    np = numpy()
    east = (np.asarray(lon) - around[0] + 180) % 360 - 180
    across = METRES_PER_DEGREE * math.cos(math.radians(around[1]))
    return np.column_stack([east * across, (np.asarray(lat) - around[1]) * METRES_PER_DEGREE])
