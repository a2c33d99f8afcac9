"""The correction of a run, from the files of its folder and a table of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..chunks import RunJob
from ..errors import SoilError, invalid_input
from ..extras import geopandas, pandas, pyproj, rasterio, shapely
from ..fields import Fields, shape_of
from ..files_here import FilesHere
from ..folder import Folder, folder_error
from ..known import read_known
from ..plan import strata_of
from ..reading.limits import MOST_BYTES
from ..reading.load import copy_regular, epsg_of
from ..report.files import checked_file
from ..results.facts import ModelFacts, stored_facts
from ..results.mosaics import opened_raster
from ..schemas.jobs import Job, JobSummary, Stock
from ..stored import read_stored
from .mean_error import Stratum, mean_error

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

# With fewer, an interval by Student's t is too short if errors are skewed.
FEW_SAMPLES = 30
_LEVEL = 0.9
# No property of soil is so large, and squares of larger numbers are infinite.
_LARGEST = 1e15
_PLACES = (("lon", "lat"), ("x", "y"))


@dataclass(frozen=True)
class Correction:
    """The mean of the maps of a year over all fields that have one, as the maps and as the samples say."""

    year: int
    unit: str
    #: With values, of all maps together.
    area_ha: float
    fields: int
    fields_without_map: int
    map_mean: float
    #: Measured − mapped, the mean over the area.
    mean_error: float
    mean: float
    lower: float
    upper: float
    level: float
    standard_error: float
    degrees_of_freedom: float
    #: In tonnes; None if the maps have no stock.
    stock_t: Stock | None
    samples: int
    #: Outside of all maps, or where they have no value.
    samples_left_out: int
    strata: int
    collapsed_strata: int


def read_samples(path: str, value: str, crs: str | None) -> GeoDataFrame:
    """Points of a CSV file with the columns lon and lat in degrees, or x and y in the system `crs`."""
    wanted = {value, *(name for pair in _PLACES for name in pair)}
    # pandas would fetch a URL, extract an archive, and wait for a pipe.
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "samples.csv"
        copy_regular(Path(path), copy, MOST_BYTES)
        try:
            table = pandas().read_csv(
                copy, encoding="utf-8-sig", compression=None, usecols=lambda name: name in wanted
            )
        except ValueError as error:
            raise invalid_input(f"{path} cannot be read as CSV: {error}") from None
    found = next((one for one in _PLACES if set(one) <= set(table.columns)), None)
    if found is None:
        raise invalid_input(f"{path} has no columns lon and lat, or x and y")
    if found == ("x", "y") and crs is None:
        raise invalid_input(f"name the system of x and y in {path}: --crs EPSG:…")
    epsg = 4326 if crs is None else epsg_of(crs)
    places = [pandas().to_numeric(table[name], errors="coerce") for name in found]
    points = geopandas().points_from_xy(*places)
    try:
        return geopandas().GeoDataFrame(table, geometry=points, crs=epsg)
    except pyproj().exceptions.CRSError:
        raise invalid_input(f"EPSG:{epsg} is not a known system") from None


def correct(
    folder: Folder, samples: GeoDataFrame, value: str, stratum: str | None, year: int | None
) -> Correction:
    """From the files of the folder alone."""
    known = read_known(None, read_stored(folder))
    state, fields, here = known.stored.state, known.stored.fields, known.here
    year = _year(state.years, year)
    of_year = [one for one in known.stored.jobs if one.year == year]
    maps = [
        (job, one.job, one.job.summary)
        for job in of_year
        if (one := known.outcomes.jobs.get(job.index)) and one.job.summary
    ]
    if not maps:
        raise invalid_input(f"{folder.path} has no map of {year}")
    units = {summary.unit for _, _, summary in maps}
    if len(units) > 1:
        raise invalid_input(f"the maps have different units: {', '.join(sorted(units))}")
    places, measured = _measured(samples, value)
    column = state.stratum if stratum is None else stratum
    names = _stratum_names(fields, [job for job, _, _ in maps], column)
    errors: dict[str, list[float]] = {name: [] for name in names}
    areas = dict.fromkeys(names, 0.0)
    for name, (_, _, summary) in zip(names, maps):
        areas[name] += summary.predicted_area_ha
    polygons = [shape_of(fields.wgs84[job.field_index]) for job, _, _ in maps]
    models = stored_facts(here).models or ()
    for of, ones in _samples_inside(polygons, places).items():
        job, found, _ = maps[of]
        _require_unchanged(folder, here, job.file)
        band = _mean_band(found, models)
        cells = _cells(folder.path / job.file, band, [places[at] for at in ones])
        errors[names[of]] += [
            measured[at] - cell for at, cell in zip(ones, cells) if cell is not None
        ]
    used = sum(map(len, errors.values()))
    if used == 0:
        raise invalid_input("no sample lies in a map: are the columns and the system right?")
    error = mean_error([Stratum(name, areas[name], tuple(errors[name])) for name in areas])
    area = sum(areas.values())
    mapped = sum(one.predicted_area_ha * one.mean for _, _, one in maps) / area
    mean, half = mapped + error.value, error.half_width(_LEVEL)
    substance = next((one.stock.substance for _, _, one in maps if one.stock is not None), None)
    tonnes = _tonnes([summary for _, _, summary in maps], area)
    lower, upper = mean - half, mean + half
    return Correction(
        year=year,
        unit=units.pop(),
        area_ha=area,
        fields=len(maps),
        fields_without_map=len(of_year) - len(maps),
        map_mean=mapped,
        mean_error=error.value,
        mean=mean,
        lower=lower,
        upper=upper,
        level=_LEVEL,
        standard_error=error.standard_error,
        degrees_of_freedom=error.degrees_of_freedom,
        stock_t=None
        if tonnes is None
        else Stock(mean * tonnes, lower * tonnes, upper * tonnes, "t", substance),
        samples=used,
        samples_left_out=len(measured) - used,
        strata=len(areas),
        collapsed_strata=error.collapsed_strata,
    )


def _samples_inside(polygons: Sequence[Any], places: Sequence[Any]) -> Mapping[int, Sequence[int]]:
    """The samples in each polygon that has some. The first of two polygons that overlap has the sample."""
    pairs = sorted(zip(*shapely().STRtree(polygons).query(places, predicate="within").tolist()))
    inside: dict[int, list[int]] = {}
    for at, of in dict(reversed(pairs)).items():
        inside.setdefault(of, []).append(at)
    return inside


def _year(years: Sequence[int], wanted: int | None) -> int:
    named = ", ".join(map(str, years))
    if wanted is None and len(years) > 1:
        raise invalid_input(f"the run has maps of {named}: choose one year")
    if wanted is not None and wanted not in years:
        raise invalid_input(f"the run has no year {wanted}; it has: {named}")
    return years[0] if wanted is None else wanted


def _measured(samples: GeoDataFrame, value: str) -> tuple[list[Any], list[float]]:
    """The points in WGS 84, and what was measured there."""
    if value not in samples:
        raise invalid_input(f"the samples have no column {value!r}")
    if len(samples) == 0:
        raise invalid_input("there are no samples")
    numbers = pandas().to_numeric(samples[value], errors="coerce").astype(float)
    points = samples.geometry
    bad = (
        points.isna() | (points.geom_type != "Point") | ~points.is_valid | points.is_empty
    ).values
    bad = bad | ~numbers.abs().lt(_LARGEST).values
    if bad.any():
        raise invalid_input(
            f"sample {int(bad.argmax()) + 1} of {len(samples)} has no place or no number as {value!r}"
        )
    places = [shape_of(one) for one in Fields.of_frame(samples[[points.name]]).wgs84]
    seen: dict[tuple[float, float], int] = {}
    for at, place in enumerate(places):
        before = seen.setdefault((place.x, place.y), at)
        if before != at:
            raise invalid_input(
                f"samples {before + 1} and {at + 1} are of one place: replace them by their mean"
            )
    return places, numbers.tolist()


def _stratum_names(fields: Fields, jobs: Sequence[RunJob], column: str | None) -> list[str]:
    if column is None:
        return [f"{job.name} (field {job.field_index + 1})" for job in jobs]
    strata = strata_of(fields, column)
    return [strata[job.field_index] or "without a stratum" for job in jobs]


def _mean_band(job: Job, models: Sequence[ModelFacts]) -> int:
    for one in models:
        if one.described.model == job.model and one.shown_bands is not None:
            return one.shown_bands.mean
    raise invalid_input(f"models.json does not say which band of {job.model} is the mean")


def _require_unchanged(folder: Folder, here: FilesHere, name: str) -> None:
    file = checked_file(folder, here, name)
    if file is None or file.state != "unchanged":
        raise folder_error(f"{folder.path / name} is not as it was downloaded")


def _cells(path: Path, band: int, places: Sequence[Any]) -> list[float | None]:
    """The values of the cells at the places; None where the map has none."""
    try:
        with opened_raster(path) as source:
            xs, ys = [one.x for one in places], [one.y for one in places]
            # Fields are stored as GeoJSON, which has the longitude first (RFC 7946).
            moved = rasterio().warp.transform("OGC:CRS84", source.crs, xs, ys)
            read = source.sample(list(zip(*moved)), indexes=band, masked=True)
            scale, offset = source.scales[band - 1], source.offsets[band - 1]
            return [None if one.mask.any() else float(one[0]) * scale + offset for one in read]
    except rasterio().errors.RasterioError as error:
        raise SoilError(f"{path.name} cannot be read: {error}", type="folder") from None


def _tonnes(summaries: Sequence[JobSummary], area_ha: float) -> float | None:
    """Tonnes on all the area for a mean of 1: thickness × area, which the map's largest mean shows best."""
    one = max(summaries, key=lambda one: abs(one.mean))
    if one.stock is None or one.mean == 0:
        return None
    return one.stock.value / (one.mean * one.predicted_area_ha) * area_ha
