"""The maps of one year of a run: values of their cells, and random places within them."""

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
from ..report.fields_map import METRES_PER_DEGREE
from ..report.files import check_file
from ..report.polygon_digest import polygon_digest
from ..results.facts import ModelFacts, stored_facts
from ..results.mosaics import open_raster
from ..schemas.jobs import Job, JobSummary
from ..schemas.models import ModelError
from ..snapshot import read_snapshot
from ..stored import read_stored
from .mean_error import join_first

Kind = TypeVar("Kind")

# Decimals of a degree: seven are a hundredth of a metre. Places are rounded before they are tested, so that files hold
# exactly the tested places.
_DECIMALS = 7
# Enough draws to hit a field that covers a ten-thousandth of a cell.
_MOST_TRIED = 50_000_000
_TRIED_AT_ONCE = 1_000_000
# Cells kept in memory take at most 64 MB; further rasters are read each time.
_MOST_KEPT = 4_000_000
# Just below 1.96, the z of a 95 % interval.
_Z_OF_95 = 1.95


@dataclass(frozen=True)
class CellErrorModel:
    """The distribution of cell errors that a model declares (docs/intervals.md)."""

    #: Standard normal quantile of the upper bound.
    z: float
    #: Bands of the lower and upper bound, counted from 1.
    lower: int
    upper: int
    #: Standard deviation of the error that all cells share, as a fraction of the value.
    systematic: float
    #: Factor by which each cell's own standard deviation is multiplied.
    standardised_sd: float
    #: None if the model declares no correlation.
    nugget: float | None
    range_m: float | None

    def own_sd(self, mean: Any, lower: Any, upper: Any) -> Any:
        """Computes the standard deviation of each cell's own error (without the shared part), × `standardised_sd`."""
        np = numpy()
        below, above = np.maximum(mean - lower, 0), np.maximum(upper - mean, 0)
        skewed = 3 if self.z < _Z_OF_95 else 1
        variance = ((below + above) ** 2 + skewed * (above - below) ** 2) / (4 * self.z**2)
        own = np.sqrt(np.maximum(variance - (self.systematic * mean) ** 2, 0))
        return self.standardised_sd * own


@dataclass(frozen=True)
class Places:
    """Places as arrays of equal length."""

    #: Index of each place's map.
    map: Any
    lon: Any
    lat: Any
    mean: Any
    #: Standard deviation of the own error of each place's cell; NaN for a model without bounds.
    sd: Any

    def select(self, chosen: Any) -> Places:
        parts = (self.map, self.lon, self.lat, self.mean, self.sd)
        return Places(*(part[chosen] for part in parts))


@dataclass(frozen=True)
class Map:
    run_job: RunJob
    job: Job
    summary: JobSummary
    #: GeoJSON in degrees (WGS 84).
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
    folder: Folder
    here: FilesHere
    fields: Fields
    #: The column whose values are the run's strata, if any.
    stratum: str | None
    year: int
    #: The model as the run names it; None if the service chose a model for each field.
    model: str | None
    maps: Sequence[Map]
    fields_without_map: int
    models: Sequence[ModelFacts]

    @property
    def unit(self) -> str:
        return self.maps[0].summary.unit

    @cached_property
    def areas_ha(self) -> Any:
        """The area of each map, without cells that have no value."""
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
        """Stock of the whole area per unit of the mean, from the map with the largest mean: rounding affects it least."""
        one = max((one.summary for one in self.maps), key=lambda one: abs(one.mean))
        if one.stock is None or one.mean == 0:
            return None
        return one.stock.value / (one.mean * one.predicted_area_ha) * self.area_ha

    @property
    def substance(self) -> str | None:
        stocks = (one.summary.stock for one in self.maps)
        return next((stock.substance for stock in stocks if stock is not None), None)

    def model_facts(self, field_map: Map) -> ModelFacts:
        model = field_map.job.model
        for facts in self.models:
            if facts.described.model == model and facts.shown_bands is not None:
                return facts
        raise invalid_input(
            f"models.json is missing, was changed, or does not say which band of {model} is the mean: download the run again"
        )

    @cached_property
    def overlap_ha(self) -> float:
        """The area that two fields share, summed over all pairs of fields."""
        np = numpy()
        shapes = np.array([one.polygon for one in self.maps])
        one, other = shapely().STRtree(shapes).query(shapes, predicate="intersects")
        one, other = one[one < other], other[one < other]
        shared = shapely().intersection(shapes[one], shapes[other])
        across = np.cos(np.radians(shapely().bounds(shapes[one])[:, 1]))
        return float((shapely().area(shared) * across).sum()) * METRES_PER_DEGREE**2 / 10_000

    @cached_property
    def error(self) -> CellErrorModel | None:
        """The model's error distribution; None if the model declares none, or if there are maps of several models."""
        if len({one.job.model for one in self.maps}) > 1:
            return None
        published = self.model_facts(self.maps[0]).published
        if published is None or published.error is None:
            return None
        error: ModelError = published.error
        names = [band.name for band in published.bands]
        lower, upper = names.index(error.lower), names.index(error.upper)
        level = (published.bands[upper].level or 0) - (published.bands[lower].level or 0)
        return CellErrorModel(
            NormalDist().inv_cdf((1 + level) / 2),
            lower + 1,
            upper + 1,
            error.systematic_relative_sd,
            error.standardised_sd,
            None if error.correlation is None else error.correlation.nugget,
            None if error.correlation is None else error.correlation.range_m,
        )

    def read_cells(self, index: int) -> Cells:
        """:raises SoilError: if the raster is missing or changed since the download"""
        kept, field_map = self._cells, self.maps[index]
        if index in kept:
            return kept[index]
        path = self.folder.path / field_map.run_job.file
        file = check_file(self.folder, self.here, field_map.run_job.file)
        if file is None or file.state != "unchanged":
            raise folder_error(
                f"{path} is missing or has changed since the download: remove it if it exists, and download it again"
            )
        bands = self.model_facts(field_map).shown_bands
        assert bands is not None
        found = Cells.read(path, bands.mean, self.error)
        if found.mean.size + sum(cells.mean.size for cells in kept.values()) <= _MOST_KEPT:
            kept[index] = found
        return found

    @cached_property
    def _cells(self) -> dict[int, Cells]:
        return {}

    def draw_places(self, random: Any, indexes: Any, count: int) -> Places:
        """Draws random places, uniform over the cells with a value in the chosen maps.

        :param indexes: the indexes of the chosen maps, as an array
        :raises InvalidRequest: if no cell of these maps has a value
        """
        np = numpy()
        areas = self.areas_ha[indexes]
        if not areas.sum() > 0:
            labels = [self.maps[index].label for index in indexes]
            raise invalid_input(
                f"no place can be drawn in {join_first(labels)}: no cell there has a value"
            )
        drawn = random.choice(indexes, count, p=areas / areas.sum())
        found = Places(drawn, *(np.full(count, np.nan) for _ in range(4)))
        order = np.argsort(drawn, kind="stable")
        used, starts = np.unique(drawn[order], return_index=True)
        for index, chosen in zip(used.tolist(), np.split(order, starts[1:])):
            cells = self.read_cells(index)
            lon, lat, mean, sd = cells.draw_places(random, self.maps[index], len(chosen))
            found.lon[chosen], found.lat[chosen] = lon, lat
            found.mean[chosen], found.sd[chosen] = mean, sd
        return found


@dataclass(frozen=True)
class Cells:
    name: str
    crs: Any
    transform: Any
    #: NaN where a cell has no value.
    mean: Any
    sd: Any

    @staticmethod
    def read(path: Path, band: int, error: CellErrorModel | None) -> Cells:
        np = numpy()
        bands = [band] if error is None else [band, error.lower, error.upper]
        try:
            with open_raster(path) as source:
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

    def values_at(self, lon: Any, lat: Any) -> tuple[Any, Any]:
        """Returns the mean and the standard deviation of the cells at these places; NaN without a value."""
        np = numpy()
        # Fields are stored as GeoJSON, which has the longitude first (RFC 7946).
        x, y = rasterio().warp.transform("OGC:CRS84", self.crs, lon, lat)
        col, row = _apply_transform(
            ~self.transform, np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        )
        rows, cols = self.mean.shape
        inside = (col >= 0) & (row >= 0) & (col < cols) & (row < rows)
        cell = (np.where(inside, row, 0).astype(int), np.where(inside, col, 0).astype(int))
        return tuple(np.where(inside, values[cell], np.nan) for values in (self.mean, self.sd))

    @property
    def edge_m(self) -> float:
        """The approximate length of a cell's longer edge in metres."""
        edge = max(abs(self.transform.a), abs(self.transform.e))
        if self.crs.is_geographic:
            return float(edge * METRES_PER_DEGREE)
        return float(edge * self.crs.linear_units_factor[1])

    def draw_places(self, random: Any, field_map: Map, count: int) -> tuple[Any, Any, Any, Any]:
        """Draws places uniformly where the polygon has values: draws in random cells, and keeps places inside the polygon."""
        np = numpy()
        rows, cols = np.nonzero(~np.isnan(self.mean))
        found: list[tuple[Any, ...]] = []
        have = tried = 0
        size = 4 * count + 100
        while have < count:
            if len(rows) == 0 or tried > _MOST_TRIED:
                raise invalid_input(f"{self.name} has no cell with a value in {field_map.label}")
            cell = random.integers(0, len(rows), size)
            col, row = cols[cell] + random.random(size), rows[cell] + random.random(size)
            x, y = _apply_transform(self.transform, col, row)
            lon, lat = map(np.array, rasterio().warp.transform(self.crs, "OGC:CRS84", x, y))
            lon, lat = lon.round(_DECIMALS), lat.round(_DECIMALS)
            inside = shapely().contains_xy(field_map.polygon, lon, lat)
            if self.crs.is_geographic:
                # Cells of equal width in degrees become narrower on the ground towards the poles.
                narrow = np.cos(np.radians(lat))
                inside &= random.random(size) * narrow.max() < narrow
            lon, lat = lon[inside], lat[inside]
            mean, sd = self.values_at(lon, lat)
            valued = ~np.isnan(mean)
            found.append(tuple(one[valued] for one in (lon, lat, mean, sd)))
            have += int(valued.sum())
            tried += size
            size = min(4 * size, _TRIED_AT_ONCE)
        lon, lat, mean, sd = (np.concatenate(parts)[:count] for parts in zip(*found))
        return lon, lat, mean, sd


def read_run_maps(folder: Folder, year: int | None, model: str | None = None) -> RunMaps:
    snapshot = read_snapshot(None, read_stored(folder))
    state, fields = snapshot.stored.state, snapshot.stored.fields
    year = _choose(state.years, year, "year")
    model = _choose(state.models or (None,), model, "model")
    of_year = [one for one in snapshot.stored.jobs if (one.year, one.model) == (year, model)]
    maps = [
        Map(job, one.job, one.job.summary, fields.wgs84[job.field_index])
        for job in of_year
        if (one := snapshot.outcomes.jobs.get(job.index)) and one.job.summary
    ]
    if not maps:
        of_model = "" if model is None else f" of {model}"
        raise invalid_input(f"{folder.path} has no map{of_model} for {year}")
    models = stored_facts(snapshot.here).models or ()
    without = len(of_year) - len(maps)
    made = RunMaps(folder, snapshot.here, fields, state.stratum, year, model, maps, without, models)
    require_comparable_maps(made)
    return made


def require_comparable_maps(*runs: RunMaps) -> tuple[float, ...] | None:
    """Returns the depth of the layer that all maps share.

    :raises InvalidRequest: if the maps differ in property, unit, layer or substance, for example because the service chose
        different models for some fields
    """
    maps = [(one.summary, run.model_facts(one).described) for run in runs for one in run.maps]
    for what, values in (
        ("units", {summary.unit for summary, _ in maps}),
        ("properties", {described.property for _, described in maps}),
        ("layers", {described.depth_cm for _, described in maps}),
        ("substances", {one.stock.substance for one, _ in maps if one.stock is not None}),
    ):
        if len(values) > 1:
            named = " and ".join(sorted(map(str, values)))
            raise invalid_input(
                f"the maps have different {what}: {named}. Run all fields with one model (--model)"
            )
    return maps[0][1].depth_cm


def _choose(available: Sequence[Kind], wanted: Kind | None, what: str) -> Kind:
    if wanted is not None and set(available) == {None}:
        raise invalid_input(f"the run was started without a {what}: leave out the {what} {wanted}")
    named = ", ".join(map(str, available))
    if wanted is None and len(available) > 1:
        raise invalid_input(f"the run has maps for several {what}s ({named}): choose one")
    if wanted is not None and wanted not in available:
        raise invalid_input(f"the run has no {what} {wanted}; it has: {named}")
    return available[0] if wanted is None else wanted


def _apply_transform(affine: Any, x: Any, y: Any) -> tuple[Any, Any]:
    return affine.a * x + affine.b * y + affine.c, affine.d * x + affine.e * y + affine.f


def to_local_metres(lon: Any, lat: Any, origin: tuple[float, float]) -> Any:
    """Projects degrees to metres east and north of an origin (longitude, latitude), also across the antimeridian."""
    np = numpy()
    east = (np.asarray(lon) - origin[0] + 180) % 360 - 180
    across = METRES_PER_DEGREE * math.cos(math.radians(origin[1]))
    return np.column_stack([east * across, (np.asarray(lat) - origin[1]) * METRES_PER_DEGREE])
