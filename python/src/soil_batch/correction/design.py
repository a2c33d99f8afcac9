"""Where to sample: places that are drawn at random in the strata of a run's maps."""

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
from ..plan import strata_of
from ..results.tables import csv_row
from .allocation import LEAST_OF_STRATUM, Expected, allocate, error_sd, half_width
from .maps import Places, RunMaps, maps_of, metres_of
from .mean_error import LEVEL

CSV_FILE, PACKAGE_FILE = "design.csv", "design.gpkg"
_STATE_FILE = "design.json"
#: Of each stratum, for places that cannot be sampled.
SPARES = 5
_MOST_SAMPLES = 10_000
_MOST_COMPACT = 500
# Random places that show the areas of compact strata: their error adds 0.3 % to the variance of 60 samples.
_POOL, _POOL_OF_STRATUM = 20_000, 400
# More places change centres little.
_CLUSTERED = 50
_STARTS, _STEPS = 5, 30
#: Beside the wanted number of samples.
_SIZES = (0.5, 2, 4)


@dataclass(frozen=True)
class FramedField:
    """A field in which places may be drawn. Its polygon is known by its digest, as in its raster."""

    name: str
    polygon: str
    predicted_area_ha: float


@dataclass(frozen=True)
class DesignStratum:
    name: str
    area_ha: float
    #: That errors will have; None for a model without bounds.
    error_sd: float | None


@dataclass(frozen=True)
class DesignPlace:
    #: From 1; spare places follow the others.
    number: int
    #: By its index, as the field.
    stratum: int
    field: int
    lon: float
    lat: float
    #: Its place in the order of use among the spare ones of its stratum; None for a place to sample.
    spare: int | None


@dataclass(frozen=True)
class Design:
    year: int
    #: The model as the run names it.
    model: str | None
    unit: str
    samples: int
    seed: int
    #: The column of the fields whose values are the strata.
    column: str | None
    #: How many compact strata; None for those of fields.
    compact: int | None
    cell_m: float
    map_mean: float
    #: Places are drawn in the others.
    fields_without_map: int
    #: That two fields share: it counts once for each.
    overlap_ha: float
    #: Whether errors are assumed to be uncorrelated, because the model does not state their correlation.
    is_uncorrelated: bool
    frame: tuple[FramedField, ...]
    strata: tuple[DesignStratum, ...]
    places: tuple[DesignPlace, ...]
    #: The intervals to expect from this and other numbers of samples; empty for a model without bounds.
    expected: tuple[Expected, ...]

    @property
    def files(self) -> tuple[str, str]:
        return CSV_FILE, PACKAGE_FILE


@dataclass(frozen=True)
class _Strata:
    names: Sequence[str]
    #: The stratum of each map; None for compact ones.
    of_map: Any
    #: Their centres in metres around a place; None for others.
    centres: Any
    around: tuple[float, float]

    def of(self, places: Places) -> Any:
        if self.centres is None:
            return self.of_map[places.map]
        at, _ = clustering().vq(metres_of(places.lon, places.lat, self.around), self.centres)
        return at


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
    """Draws a design from the folder's files, and writes it there. A repeated call gives the same design."""
    if stratum is not None and strata is not None:
        raise invalid_input(
            "strata are either the values of a column or compact strata: choose one"
        )
    if not LEAST_OF_STRATUM <= samples <= _MOST_SAMPLES:
        raise invalid_input(
            f"the number of samples must be from {LEAST_OF_STRATUM} to {_MOST_SAMPLES:,}; got {samples}"
        )
    maps = maps_of(folder, year, model)
    column = None if strata is not None else stratum or maps.stratum
    names, of_map = stratum_of_maps(maps, column)
    _require_enough(samples, len(names) if strata is None else strata, column, strata)
    with folder.lock():
        stored = read_design(folder)
        if stored is not None:
            wanted = (maps.year, maps.model, samples, seed, column, strata, framed(maps))
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
            _Strata(names, of_map, None, (0.0, 0.0))
            if strata is None
            else _compact(random, maps, strata)
        )
        drawn = _drawn(random, maps, chosen, samples, seed, column, strata)
        folder.write_object(_STATE_FILE, drawn)
        _write_files(folder, maps, drawn, again=True)
    return drawn


def read_design(folder: Folder) -> Design | None:
    """None if the folder has none. One that was changed is refused: places moved by hand are not random."""
    text = folder.read_state_file(_STATE_FILE)
    if text is None:
        return None
    if FilesHere(folder).read_unchanged(f"{STATE_FOLDER}/{_STATE_FILE}") is None:
        raise folder_error(f"the design in {folder.path} was changed: draw a new one (--replace)")
    return folder.decode_object(Design, text, _STATE_FILE)


def framed(maps: RunMaps) -> tuple[FramedField, ...]:
    return tuple(
        FramedField(one.label, one.digest, one.summary.predicted_area_ha) for one in maps.maps
    )


def stratum_of_maps(maps: RunMaps, column: str | None) -> tuple[list[str], Any]:
    """The names of the strata, and the stratum of each map."""
    labels = [one.label for one in maps.maps]
    if column is not None:
        values = strata_of(maps.fields, column)
        labels = [values[one.run_job.field_index] or "without a stratum" for one in maps.maps]
    names = list(dict.fromkeys(labels))
    numbers = {name: at for at, name in enumerate(names)}
    return names, numpy().array([numbers[label] for label in labels])


def _require_enough(samples: int, strata: int, column: str | None, compact: int | None) -> None:
    if compact is not None and not 0 < compact <= _MOST_COMPACT:
        raise invalid_input(f"compact strata can be 1 to {_MOST_COMPACT}; got {compact}")
    least = LEAST_OF_STRATUM * strata
    if samples >= least:
        return
    what = "fields" if column is None and compact is None else "strata"
    raise invalid_input(
        f"{samples} samples are too few for {strata} {what}, which need {LEAST_OF_STRATUM} each, {least} in all:"
        f" take more, or group the fields into {samples // LEAST_OF_STRATUM} strata or fewer, by one of their columns or"
        " as compact strata"
    )


def _require_replaceable(folder: Folder, stored: Design, replace: bool) -> None:
    if not replace:
        raise folder_error(
            f"{folder.path} has another design, of {stored.samples} samples with the seed {stored.seed}, or of maps that"
            " have changed since. Samples from its places need it: use another folder, or discard it with --replace"
        )
    path = folder.path / CSV_FILE
    if path.exists() and FilesHere(folder).read_unchanged(CSV_FILE) is None:
        raise folder_error(f"{path} was edited, and may contain measurements: move it elsewhere")


def _compact(random: Any, maps: RunMaps, count: int) -> _Strata:
    """Compact strata: k-means of the coordinates of many places (Walvoort, Brus & de Gruijter 2010, Computers &
    Geosciences 36, 1261–1267), the best of several starts by the mean squared distance to the centre."""
    np = numpy()
    places = _anywhere(random, maps, max(2_000, _CLUSTERED * count))
    around = (float(places.lon[0]), float(places.lat.mean()))
    xy = metres_of(places.lon, places.lat, around)
    best, least = None, math.inf
    for _ in range(_STARTS):
        start = xy[random.choice(len(xy), count, replace=False)]
        with warnings.catch_warnings():
            # A start that empties a cluster is discarded below.
            warnings.simplefilter("ignore", UserWarning)
            centres, _ = clustering().kmeans2(xy, start, iter=_STEPS, minit="matrix")
        at, distance = clustering().vq(xy, centres)
        if (distance**2).mean() < least and len(np.unique(at)) == count:
            best, least = centres, float((distance**2).mean())
    if best is None:
        raise invalid_input(f"the fields cannot be split into {count} compact strata: choose fewer")
    return _Strata([str(at + 1) for at in range(count)], None, best, around)


def _anywhere(random: Any, maps: RunMaps, count: int) -> Places:
    return maps.draw(random, numpy().arange(len(maps.maps)), count)


def _draw_in(random: Any, maps: RunMaps, strata: _Strata, counts: Sequence[int]) -> list[Places]:
    """Random places in each stratum, as many as wanted."""
    np = numpy()
    if strata.centres is None:
        return [
            maps.draw(random, np.flatnonzero(strata.of_map == at), count)
            for at, count in enumerate(counts)
        ]
    parts: list[Places] = []
    while True:
        parts.append(_anywhere(random, maps, 2 * sum(counts)))
        every = Places(
            *(np.concatenate(one) for one in zip(*(vars(part).values() for part in parts)))
        )
        stratum = strata.of(every)
        if (np.bincount(stratum, minlength=len(counts)) >= counts).all():
            return [every.at(np.nonzero(stratum == at)[0][:n]) for at, n in enumerate(counts)]


def _drawn(
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
        areas = np.bincount(strata.of_map, maps.areas_ha, count)
        pools = _draw_in(random, maps, strata, [_POOL_OF_STRATUM] * count)
    else:
        pool = _anywhere(random, maps, max(_POOL, _POOL_OF_STRATUM * count))
        of_pool = strata.of(pool)
        areas = maps.area_ha * np.bincount(of_pool, minlength=count) / len(of_pool)
        pools = [pool.at(of_pool == at) for at in range(count)]
    error = maps.error
    sds = None if error is None else [error_sd(one, error) for one in pools]
    sizes = areas.tolist() if sds is None else (areas * sds).tolist()
    counts = allocate(samples, sizes)
    places = _draw_in(random, maps, strata, [one + SPARES for one in counts])
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
        cell_m=maps.cells_of(0).metres,
        map_mean=maps.mean,
        fields_without_map=maps.fields_without_map,
        overlap_ha=maps.overlap_ha,
        is_uncorrelated=error is not None and error.nugget is None,
        frame=framed(maps),
        strata=tuple(
            DesignStratum(name, float(area), None if sds is None else sds[at])
            for at, (name, area) in enumerate(zip(strata.names, areas))
        ),
        places=_numbered(places, counts),
        expected=()
        if sds is None
        else tuple(
            Expected(size, half_width(allocate(size, sizes), weights, sds, LEVEL))
            for size in sorted(wanted)
            if size >= least
        ),
    )


def _numbered(places: Sequence[Places], counts: Sequence[int]) -> tuple[DesignPlace, ...]:
    ones = [
        (stratum, at - count if at >= count else None, of, at)
        for stratum, (of, count) in enumerate(zip(places, counts))
        for at in range(count + SPARES)
    ]
    ones.sort(key=lambda one: one[1] is not None)
    return tuple(
        DesignPlace(
            number,
            stratum,
            int(of.map[at]),
            float(of.lon[at]),
            float(of.lat[at]),
            None if spare is None else spare + 1,
        )
        for number, (stratum, spare, of, at) in enumerate(ones, start=1)
    )


def _write_files(folder: Folder, maps: RunMaps, design: Design, *, again: bool) -> None:
    if again or not (folder.path / CSV_FILE).exists():
        folder.write_result(CSV_FILE, _csv(design))
    if again or not (folder.path / PACKAGE_FILE).exists():
        folder.write_result(PACKAGE_FILE, _package(design, maps.fields.crs))


def _columns(design: Design) -> dict[str, list[Any]]:
    return {
        "number": [one.number for one in design.places],
        "stratum": [design.strata[one.stratum].name for one in design.places],
        "use": ["sample" if one.spare is None else "spare" for one in design.places],
        "spare_order": [one.spare for one in design.places],
        "field": [design.frame[one.field].name for one in design.places],
    }


def _csv(design: Design) -> bytes:
    """For spreadsheets, as the table of results, with a column for why a place could not be sampled."""
    columns = _columns(design)
    columns["lon"] = [one.lon for one in design.places]
    columns["lat"] = [one.lat for one in design.places]
    columns["unreachable"] = [None] * len(design.places)
    lines = [csv_row(list(columns)), *map(csv_row, zip(*columns.values()))]
    return ("\ufeff" + "".join(lines)).encode("utf-8", "replace")


def _package(design: Design, crs: str | None) -> bytes:
    """Points in the system of the fields."""
    lon, lat = [one.lon for one in design.places], [one.lat for one in design.places]
    points = geopandas().points_from_xy(lon, lat, crs="EPSG:4326")
    frame = geopandas().GeoDataFrame(_columns(design), geometry=points)
    frame["spare_order"] = frame["spare_order"].astype("Int64")
    content = io.BytesIO()
    frame.to_crs(crs or "EPSG:4326").to_file(
        content, driver="GPKG", layer="design", engine="pyogrio"
    )
    return content.getvalue()
