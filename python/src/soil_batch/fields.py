"""Fields as the package stores and sends them, whatever they come as."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Union

from .columns import Column, column_of, series_of
from .errors import InvalidRequest, Violation, invalid_input
from .extras import geopandas, pyproj, shapely

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

#: A GeoDataFrame, the path of a file, or a GeoJSON FeatureCollection.
FieldsLike = Union["GeoDataFrame", str, "PathLike[str]", Mapping[str, Any]]

_POLYGONS = ("Polygon", "MultiPolygon")
# 0.1 mm: what a transformation computes beyond that says nothing.
_DECIMALS = 9
_MOST_NAMED = 10
# Fields lie offshore, and across borders.
_BEYOND_DEGREES = 1.0
# Some areas are lists of countries.
_AREA_CHARACTERS = 60


@dataclass(frozen=True)
class Fields:
    #: Of the geometries, as WKT; None for WGS 84 as GeoJSON has it.
    crs: str | None
    #: GeoJSON in `crs`; None for an empty one.
    geometries: tuple[Any, ...]
    columns: tuple[Column, ...]
    #: None for 0, 1, 2 …
    index: Column | None
    geometry_name: str

    @staticmethod
    def of(given: GeoDataFrame | Mapping[str, Any]) -> Fields:
        fields = _of_geojson(given) if isinstance(given, Mapping) else _of_frame(given)
        if len(fields.geometries) == 0:
            raise invalid_input("there are no fields")
        _require_polygons(fields.geometries)
        return fields

    @staticmethod
    def from_json(text: str) -> Fields:
        return Fields.from_value(json.loads(text))

    @staticmethod
    def from_value(stored: Any) -> Fields:
        return Fields(
            stored["crs"],
            tuple(stored["geometries"]),
            tuple(Column(**column) for column in stored["columns"]),
            None if stored["index"] is None else Column(**stored["index"]),
            stored["geometry_name"],
        )

    @cached_property
    def json(self) -> str:
        value = {
            "crs": self.crs,
            "geometry_name": self.geometry_name,
            "index": None if self.index is None else vars(self.index),
            "columns": [vars(column) for column in self.columns],
            "geometries": self.geometries,
        }
        return json.dumps(value, separators=(",", ":"))

    @property
    def digest(self) -> str:
        return digest_of(self.json)

    @staticmethod
    def of_frame(frame: Any) -> Fields:
        return _of_frame(frame)

    def only(self, rows: Sequence[int]) -> Fields:
        if len(rows) == len(self.geometries):
            return self
        columns = (
            Column(one.name, one.dtype, [one.values[at] for at in rows]) for one in self.columns
        )
        geometries = tuple(self.geometries[at] for at in rows)
        return Fields(self.crs, geometries, tuple(columns), self.index, self.geometry_name)

    def has_values(self, name: str) -> bool:
        return any(
            one.name == name and any(value is not None for value in one.values)
            for one in self.columns
        )

    def column(self, name: str) -> Sequence[object]:
        for column in self.columns:
            if column.name == name:
                return column.values
        names = ", ".join(column.name for column in self.columns) or "none"
        raise invalid_input(f"the fields have no column {name!r}; they have: {names}")

    @cached_property
    def wgs84(self) -> list[Any]:
        """GeoJSON with longitude and latitude, without heights; None for an empty geometry."""
        if self.crs is None:
            return list(self.geometries)
        source = pyproj().CRS.from_wkt(self.crs)
        transformer, areas = _to_wgs84(source)
        geometries = [shape_of(geometry) for geometry in self.geometries]
        flat = shapely().force_2d(geometries)
        moved = shapely().transform(flat, lambda xy: _transformed(transformer, areas, source, xy))
        return [None if one is None else shapely().geometry.mapping(one) for one in moved]

    @property
    def crs_name(self) -> str:
        """For people."""
        if self.crs is None:
            return "EPSG:4326"
        code = pyproj().CRS.from_wkt(self.crs).to_authority()
        return str(pyproj().CRS.from_wkt(self.crs).name) if code is None else ":".join(code)

    def frame(self) -> GeoDataFrame:
        """As they were given."""
        index = None if self.index is None else series_of(self.index).array
        data = {column.name: series_of(column, index) for column in self.columns}
        geometries = [shape_of(geometry) for geometry in self.geometries]
        frame = geopandas().GeoDataFrame(
            data, geometry=geometries, crs=self.crs or "EPSG:4326", index=index
        )
        if index is not None and self.index is not None:
            frame.index.name = self.index.name or None
        same = self.geometry_name == frame.geometry.name
        return frame if same else frame.rename_geometry(self.geometry_name)


def digest_of(text: str) -> str:
    """Of the fields as JSON."""
    return hashlib.sha256(text.encode()).hexdigest()


def _of_frame(frame: Any) -> Fields:
    if not hasattr(frame, "geometry") or not hasattr(frame, "columns"):
        raise invalid_input(
            "expected a GeoDataFrame, the path of a file, or a GeoJSON FeatureCollection;"
            f" got {type(frame).__name__}"
        )
    if frame.crs is None:
        raise invalid_input(
            "the GeoDataFrame has no CRS: name the one of its coordinates with gdf.set_crs(…)"
        )
    geometry_name = str(frame.geometry.name)
    names = [str(name) for name in frame.columns]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise invalid_input(f"columns with the same name: {', '.join(sorted(repeated))}")
    columns = [
        column_of(name, frame.iloc[:, at]) for at, name in enumerate(names) if name != geometry_name
    ]
    mapping = shapely().geometry.mapping
    geometries = [None if one is None or one.is_empty else mapping(one) for one in frame.geometry]
    return Fields(
        _crs_of(frame.crs), tuple(geometries), tuple(columns), _index_of(frame), geometry_name
    )


def _crs_of(crs: Any) -> str | None:
    return None if crs.to_authority() == ("OGC", "CRS84") or crs.to_epsg() == 4326 else crs.to_wkt()


def _index_of(frame: Any) -> Column | None:
    index = frame.index
    default = index.nlevels > 1 or (list(index) == list(range(len(index))) and index.name is None)
    return None if default else column_of(str(index.name or ""), index.to_series())


def _of_geojson(collection: Mapping[str, Any]) -> Fields:
    features = collection.get("features")
    if collection.get("type") != "FeatureCollection" or not isinstance(features, Sequence):
        raise invalid_input("expected a GeoJSON FeatureCollection")
    if "crs" in collection:
        raise invalid_input(
            "the FeatureCollection has a `crs`, which RFC 7946 does not know: read it with geopandas"
        )
    bad = [at for at, one in enumerate(features) if not isinstance(one, Mapping)]
    if bad:
        raise invalid_input(f"feature {bad[0]} is no GeoJSON Feature")
    rows = [feature.get("properties") or {} for feature in features]
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    columns = [Column(name, "json", [row.get(name) for row in rows]) for name in names]
    geometries = [_not_empty(feature.get("geometry")) for feature in features]
    # JSON makes a tuple a list, and what is no JSON fails here.
    try:
        text = json.dumps([geometries, [column.values for column in columns]], allow_nan=False)
    except ValueError as error:
        raise invalid_input(f"the FeatureCollection is no JSON: {error}") from None
    geometries, values = json.loads(text)
    copies = [Column(one.name, one.dtype, kept) for one, kept in zip(columns, values)]
    return Fields(None, tuple(geometries), tuple(copies), None, "geometry")


def _not_empty(geometry: Any) -> Any:
    empty = isinstance(geometry, Mapping) and geometry.get("coordinates") in ([], ())
    return None if empty else geometry


def _require_polygons(geometries: Sequence[Any]) -> None:
    """Points and lines are a mistake of the whole file. An invalid polygon fails only its job."""
    errors = []
    for at, geometry in enumerate(geometries):
        kind = geometry.get("type") if isinstance(geometry, Mapping) else None
        if geometry is not None and kind not in _POLYGONS:
            errors.append(Violation(f"/{at}", f"is a {kind}; expected Polygon or MultiPolygon"))
        elif geometry is not None and not _is_finite(geometry.get("coordinates")):
            errors.append(Violation(f"/{at}", "has coordinates that are no numbers"))
    _raise(errors)


def _raise(errors: Sequence[Violation]) -> None:
    if not errors:
        return
    named = "; ".join(f"row {one.pointer[1:]} {one.message}" for one in errors[:_MOST_NAMED])
    more = len(errors) - _MOST_NAMED
    raise InvalidRequest(
        f"{named}{f'; and {more} more' if more > 0 else ''}",
        type="invalid-input",
        errors=tuple(errors),
    )


def _is_finite(coordinates: Any) -> bool:
    if isinstance(coordinates, (list, tuple)):
        return all(_is_finite(one) for one in coordinates)
    return isinstance(coordinates, (int, float)) and math.isfinite(coordinates)


def shape_of(geometry: Any) -> Any:
    """None also for GeoJSON that is no polygon, such as a ring of two positions."""
    try:
        return None if geometry is None else shapely().geometry.shape(geometry)
    except (TypeError, ValueError, LookupError, AttributeError, shapely().errors.ShapelyError):
        return None


def _to_wgs84(source: Any) -> Any:
    """With the datum shift, without which a map may lie 100 m off, and the areas where one is known."""
    known = pyproj()
    try:
        chosen = known.Transformer.from_crs(
            source, "EPSG:4326", always_xy=True, allow_ballpark=False
        )
        with warnings.catch_warnings():
            # That a national grid file is missing: README.md says what it costs.
            warnings.simplefilter("ignore", UserWarning)
            group = known.transformer.TransformerGroup(
                source, "EPSG:4326", always_xy=True, allow_ballpark=False
            )
        return chosen, [one.area_of_use for one in group.transformers]
    except known.exceptions.ProjError:
        raise invalid_input(
            f"the CRS {source.name!r} has no known way to WGS 84: its datum shift is missing;"
            " transform the fields with the one that holds for them, or name another CRS"
        ) from None


def _transformed(transformer: Any, areas: Sequence[Any], source: Any, xy: Any) -> Any:
    lon, lat = transformer.transform(xy[:, 0], xy[:, 1])
    moved = xy.copy()
    moved[:, 0], moved[:, 1] = lon.round(_DECIMALS), lat.round(_DECIMALS)
    if not ((abs(moved) <= 360).all() and _is_inside(moved, areas)):
        use = source.area_of_use
        area = "" if use is None else f" ({use.name[:_AREA_CHARACTERS]})"
        raise invalid_input(
            f"some coordinates lie outside of the area of {source.name!r}{area}, where no way to WGS 84"
            " is known: it is probably another CRS"
        )
    return moved


def _is_inside(places: Any, areas: Sequence[Any]) -> bool:
    """PROJ uses a shift beyond the area that it is made for, if it knows no other."""
    if not areas or any(area is None for area in areas):
        return True
    lon, lat = places[:, 0], places[:, 1]
    inside = lon != lon
    for area in areas:
        across = (lon >= area.west - _BEYOND_DEGREES) & (lon <= area.east + _BEYOND_DEGREES)
        # Across the antimeridian.
        wide = across | (area.west > area.east)
        along = (lat >= area.south - _BEYOND_DEGREES) & (lat <= area.north + _BEYOND_DEGREES)
        inside = inside | (wide & along)
    return bool(inside.all())
