"""Draws random places to sample in the strata of a run's maps."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import invalid_input
from ..extras import clustering, geopandas, numpy
from ..files_here import FilesHere
from ..folder import STATE_FOLDER, Folder, folder_error
from ..plan import read_strata
from ..results.tables import format_csv_row
from .allocation import (
    LEAST_OF_STRATUM,
    ExpectedInterval,
    allocate_samples,
    expected_error_sd,
    expected_half_width,
)
from .maps import Places, RunMaps, read_run_maps, to_local_metres
from .mean_error import LEVEL

CSV_FILE, PACKAGE_FILE = "design.csv", "design.gpkg"
_STATE_FILE = "design.json"
#: The number of spare places per stratum, which replace places that cannot be sampled.
SPARES = 5
_MOST_SAMPLES = 10_000
_MOST_COMPACT = 500
# The numbers of random places, in total and per stratum, from which the areas of compact strata and the errors within
# strata are estimated. With 20,000 places, estimating the areas adds 0.3 % to the variance of a mean of 60 samples.
_POOL, _POOL_OF_STRATUM = 20_000, 400
# k-means clusters at least this many places per compact stratum: more would hardly change the centres.
_CLUSTERED = 50
_STARTS, _STEPS = 5, 30
#: Intervals are also predicted for these multiples of the requested number of samples.
_SIZES = (0.5, 2, 4)


@dataclass(frozen=True)
class FramedField:
    """A field of the sampling frame. `polygon` is the digest of its polygon, as its raster states it."""

    name: str
    polygon: str
    predicted_area_ha: float


@dataclass(frozen=True)
class DesignStratum:
    name: str
    area_ha: float
    #: Expected standard deviation of the errors; None unless all maps are from one model with bounds.
    error_sd: float | None


@dataclass(frozen=True)
class DesignPlace:
    #: Counted from 1; spare places follow the others.
    number: int
    #: Index of the stratum.
    stratum: int
    #: Index of the field in the frame.
    field: int
    lon: float
    lat: float
    #: The spare place's position in its stratum's order of use, from 1; None for a place to sample.
    spare: int | None


@dataclass(frozen=True)
class Design:
    year: int
    #: The model as the run names it; None if the service chose a model for each field.
    model: str | None
    unit: str
    samples: int
    seed: int
    #: The column whose values are the strata; None if each field is a stratum, or if strata are compact.
    column: str | None
    #: The number of compact strata; None if strata consist of fields.
    compact: int | None
    cell_m: float
    map_mean: float
    #: The number of fields in which no place can be drawn, because they have no map.
    fields_without_map: int
    #: Area that two fields share: it counts once for each field.
    overlap_ha: float
    #: Whether errors are assumed to be uncorrelated, because the model does not state their correlation.
    is_uncorrelated: bool
    frame: tuple[FramedField, ...]
    strata: tuple[DesignStratum, ...]
    places: tuple[DesignPlace, ...]
    #: Expected intervals for the requested and other numbers of samples; empty unless all maps are from one model with bounds.
    expected: tuple[ExpectedInterval, ...]

    @property
    def file_names(self) -> tuple[str, str]:
        return CSV_FILE, PACKAGE_FILE


@dataclass(frozen=True)
class _Strata:
    names: Sequence[str]
    #: The stratum of each map, as an array of indexes; None for compact strata.
    by_map: Any
    #: The centres of compact strata, in metres from `origin`; None if strata consist of fields.
    centres: Any
    origin: tuple[float, float]

    def find_stratum(self, places: Places) -> Any:
        if self.centres is None:
            return self.by_map[places.map]
        xy = to_local_metres(places.lon, places.lat, self.origin)
        nearest, _ = clustering().vq(xy, self.centres)
        return nearest


def make_design(
    folder: Folder,
    samples: int,
    *,
    stratum: str | None = None,
    strata: int | None = None,
    year: int | None = None,
    model: str | None = None,
    seed: int = 1,
    replace: bool = False,
) -> Design:
    """Draws a design for the maps in a folder, and writes it to the folder. Repeating the call gives the same design."""
    if stratum is not None and strata is not None:
        raise invalid_input(
            "give either stratum (the column whose values are the strata) or strata (the number of compact strata),"
            " not both"
        )
    if not LEAST_OF_STRATUM <= samples <= _MOST_SAMPLES:
        raise invalid_input(
            f"the number of samples must be from {LEAST_OF_STRATUM} to {_MOST_SAMPLES:,}; got {samples}"
        )
    maps = read_run_maps(folder, year, model)
    column = None if strata is not None else stratum or maps.stratum
    names, by_map = assign_strata(maps, column)
    _require_enough_samples(samples, len(names) if strata is None else strata, column, strata)
    with folder.lock():
        stored = read_design(folder)
        if stored is not None:
            wanted = (
                maps.year,
                maps.model,
                samples,
                seed,
                column,
                strata,
                list_framed_fields(maps),
            )
            same = (
                stored.year,
                stored.model,
                stored.samples,
                stored.seed,
                stored.column,
                stored.compact,
                stored.frame,
            )
            if wanted == same:
                _write_files(folder, maps, stored, again=False)
                return stored
            _require_replaceable(folder, stored, replace)
        random = numpy().random.default_rng(seed)
        chosen = (
            _Strata(names, by_map, None, (0.0, 0.0))
            if strata is None
            else _form_compact_strata(random, maps, strata)
        )
        drawn = _draw_design(random, maps, chosen, samples, seed, column, strata)
        folder.write_object(_STATE_FILE, drawn)
        _write_files(folder, maps, drawn, again=True)
    return drawn


def read_design(folder: Folder) -> Design | None:
    """Returns the folder's design, if any. Rejects an edited design: places moved by hand are not random."""
    text = folder.read_state_file(_STATE_FILE)
    if text is None:
        return None
    if FilesHere(folder).read_unchanged(f"{STATE_FOLDER}/{_STATE_FILE}") is None:
        raise folder_error(
            f"the design in {folder.path / STATE_FOLDER / _STATE_FILE} was edited: restore the file, or delete it to draw a"
            " new design"
        )
    return folder.decode_object(Design, text, _STATE_FILE)


def list_framed_fields(maps: RunMaps) -> tuple[FramedField, ...]:
    return tuple(
        FramedField(one.label, one.digest, one.summary.predicted_area_ha) for one in maps.maps
    )


def assign_strata(maps: RunMaps, column: str | None) -> tuple[list[str], Any]:
    """Returns the names of the strata, and the index of each map's stratum."""
    labels = [one.label for one in maps.maps]
    if column is not None:
        values = read_strata(maps.fields, column)
        labels = [values[one.run_job.field_index] or "without a stratum" for one in maps.maps]
    names = list(dict.fromkeys(labels))
    numbers = {name: at for at, name in enumerate(names)}
    return names, numpy().array([numbers[label] for label in labels])


def _require_enough_samples(
    samples: int, strata: int, column: str | None, compact: int | None
) -> None:
    if compact is not None and not 0 < compact <= _MOST_COMPACT:
        raise invalid_input(
            f"the number of strata must be from 1 to {_MOST_COMPACT}; got {compact}"
        )
    least = LEAST_OF_STRATUM * strata
    if samples >= least:
        return
    what = "fields" if column is None and compact is None else "strata"
    raise invalid_input(
        f"{samples} samples are too few for {strata} {what}, which need {LEAST_OF_STRATUM} each, {least} in total:"
        f" take more, or group the fields into fewer strata (at most {samples // LEAST_OF_STRATUM}), by one of their"
        " columns or as compact strata"
    )


def _require_replaceable(folder: Folder, stored: Design, replace: bool) -> None:
    if not replace:
        raise folder_error(
            f"{folder.path} already has a design of {stored.samples} samples (seed {stored.seed}), which differs from this"
            " one or was drawn from earlier maps. Without it, samples from its places can no longer be matched by number:"
            " choose another folder, or discard the design with --replace"
        )
    path = folder.path / CSV_FILE
    if path.exists() and FilesHere(folder).read_unchanged(CSV_FILE) is None:
        raise folder_error(f"{path} was edited and may contain measurements: move it elsewhere")


def _form_compact_strata(random: Any, maps: RunMaps, count: int) -> _Strata:
    """Forms compact strata by k-means of the coordinates of many places (Walvoort, Brus & de Gruijter 2010, Computers &
    Geosciences 36, 1261–1267). Of several starts, the one with the smallest mean squared distance to the
    centres is used.
    """
    np = numpy()
    places = _draw_anywhere(random, maps, max(2_000, _CLUSTERED * count))
    origin = (float(places.lon[0]), float(places.lat.mean()))
    xy = to_local_metres(places.lon, places.lat, origin)
    best, least = None, math.inf
    for _ in range(_STARTS):
        start = xy[random.choice(len(xy), count, replace=False)]
        with warnings.catch_warnings():
            # kmeans2 warns of an empty cluster; such a start is discarded below.
            warnings.simplefilter("ignore", UserWarning)
            centres, _ = clustering().kmeans2(xy, start, iter=_STEPS, minit="matrix")
        at, distance = clustering().vq(xy, centres)
        if (distance**2).mean() < least and len(np.unique(at)) == count:
            best, least = centres, float((distance**2).mean())
    if best is None:
        raise invalid_input(f"the fields cannot be split into {count} compact strata: choose fewer")
    return _Strata([str(at + 1) for at in range(count)], None, best, origin)


def _draw_anywhere(random: Any, maps: RunMaps, count: int) -> Places:
    return maps.draw_places(random, numpy().arange(len(maps.maps)), count)


def _draw_in_strata(
    random: Any, maps: RunMaps, strata: _Strata, counts: Sequence[int]
) -> list[Places]:
    np = numpy()
    if strata.centres is None:
        return [
            maps.draw_places(random, np.flatnonzero(strata.by_map == at), count)
            for at, count in enumerate(counts)
        ]
    parts: list[Places] = []
    while True:
        parts.append(_draw_anywhere(random, maps, 2 * sum(counts)))
        every = Places(
            *(np.concatenate(one) for one in zip(*(vars(part).values() for part in parts)))
        )
        stratum = strata.find_stratum(every)
        if (np.bincount(stratum, minlength=len(counts)) >= counts).all():
            return [every.select(np.nonzero(stratum == at)[0][:n]) for at, n in enumerate(counts)]


def _draw_design(
    random: Any,
    maps: RunMaps,
    strata: _Strata,
    samples: int,
    seed: int,
    column: str | None,
    compact: int | None,
) -> Design:
    np = numpy()
    count = len(strata.names)
    if strata.centres is None:
        areas = np.bincount(strata.by_map, maps.areas_ha, count)
        pools = _draw_in_strata(random, maps, strata, [_POOL_OF_STRATUM] * count)
    else:
        pool = _draw_anywhere(random, maps, max(_POOL, _POOL_OF_STRATUM * count))
        pool_stratum = strata.find_stratum(pool)
        areas = maps.area_ha * np.bincount(pool_stratum, minlength=count) / len(pool_stratum)
        pools = [pool.select(pool_stratum == at) for at in range(count)]
    error = maps.error
    sds = None if error is None else [expected_error_sd(pool, error) for pool in pools]
    sizes = areas.tolist() if sds is None else (areas * sds).tolist()
    counts = allocate_samples(samples, sizes)
    places = _draw_in_strata(random, maps, strata, [one + SPARES for one in counts])
    weights = (areas / areas.sum()).tolist()
    least = LEAST_OF_STRATUM * count
    wanted = {least, samples, *(round(samples * one) for one in _SIZES)}
    return Design(
        year=maps.year,
        model=maps.model,
        unit=maps.unit,
        samples=samples,
        seed=seed,
        column=column,
        compact=compact,
        cell_m=maps.read_cells(0).edge_m,
        map_mean=maps.mean,
        fields_without_map=maps.fields_without_map,
        overlap_ha=maps.overlap_ha,
        is_uncorrelated=error is not None and error.nugget is None,
        frame=list_framed_fields(maps),
        strata=tuple(
            DesignStratum(name, float(area), None if sds is None else sds[at])
            for at, (name, area) in enumerate(zip(strata.names, areas))
        ),
        places=_number_places(places, counts),
        expected=()
        if sds is None
        else tuple(
            ExpectedInterval(
                size, expected_half_width(allocate_samples(size, sizes), weights, sds, LEVEL)
            )
            for size in sorted(wanted)
            if size >= least
        ),
    )


def _number_places(places: Sequence[Places], counts: Sequence[int]) -> tuple[DesignPlace, ...]:
    rows = [
        (stratum, at - count if at >= count else None, of, at)
        for stratum, (of, count) in enumerate(zip(places, counts))
        for at in range(count + SPARES)
    ]
    rows.sort(key=lambda one: one[1] is not None)
    return tuple(
        DesignPlace(
            number,
            stratum,
            int(of.map[at]),
            float(of.lon[at]),
            float(of.lat[at]),
            None if spare is None else spare + 1,
        )
        for number, (stratum, spare, of, at) in enumerate(rows, start=1)
    )


def _write_files(folder: Folder, maps: RunMaps, design: Design, *, again: bool) -> None:
    if again or not (folder.path / CSV_FILE).exists():
        folder.write_result(CSV_FILE, _format_csv(design))
    if again or not (folder.path / PACKAGE_FILE).exists():
        folder.write_result(PACKAGE_FILE, _format_geopackage(design, maps.fields.crs))


def _columns(design: Design) -> dict[str, list[Any]]:
    return {
        "number": [one.number for one in design.places],
        "stratum": [design.strata[one.stratum].name for one in design.places],
        "use": ["sample" if one.spare is None else "spare" for one in design.places],
        "spare_order": [one.spare for one in design.places],
        "field": [design.frame[one.field].name for one in design.places],
    }


def _format_csv(design: Design) -> bytes:
    """Formats the design for spreadsheets, with an empty column for the reason why a place was not sampled."""
    columns = _columns(design)
    columns["lon"] = [one.lon for one in design.places]
    columns["lat"] = [one.lat for one in design.places]
    columns["unreachable"] = [None] * len(design.places)
    lines = [format_csv_row(list(columns)), *map(format_csv_row, zip(*columns.values()))]
    return ("\ufeff" + "".join(lines)).encode("utf-8", "replace")


def _format_geopackage(design: Design, crs: str | None) -> bytes:
    lon, lat = [one.lon for one in design.places], [one.lat for one in design.places]
    points = geopandas().points_from_xy(lon, lat, crs="EPSG:4326")
    frame = geopandas().GeoDataFrame(_columns(design), geometry=points)
    frame["spare_order"] = frame["spare_order"].astype("Int64")
    content = io.BytesIO()
    frame.to_crs(crs or "EPSG:4326").to_file(
        content, driver="GPKG", layer="design", engine="pyogrio"
    )
    return content.getvalue()
