"""Converts fields from a GeoDataFrame or GeoJSON to the form in which they are stored and sent."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Union

from .columns import Column, to_column, to_series
from .errors import InvalidRequest, Violation, invalid_input
from .extras import geopandas, numpy, pyproj, shapely
from .geometry import area_of, positions_of, with_positions

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

#: A GeoDataFrame, the path of a file, or a GeoJSON FeatureCollection.
FieldsLike = Union["GeoDataFrame", str, "PathLike[str]", Mapping[str, Any]]

#: Decimals of a degree: nine are 0.1 mm.
DECIMALS = 9
_MOST_NAMED = 10
_POINTS = {"point": ", or only points with buffer=50 (metres)"}
# Fields may lie this many degrees outside an area of use: some lie offshore or across a border.
_BEYOND_DEGREES = 1.0
# The name of an area of use is cut after this many characters: some are long lists of countries.
_AREA_CHARACTERS = 60
# Larger numbers are not plausible coordinates in metres or feet.
_MOST_PROJECTED = 1e9


@dataclass(frozen=True)
class Fields:
    #: The CRS of the geometries as WKT; None for WGS 84, longitude first, as in GeoJSON.
    crs: str | None
    #: GeoJSON geometries in `crs`; None for a missing or empty geometry.
    geometries: tuple[Any, ...]
    columns: tuple[Column, ...]
    #: None for the default index 0, 1, 2 …
    index: Column | None
    geometry_name: str

    @staticmethod
    def of(given: GeoDataFrame | Mapping[str, Any]) -> Fields:
        fields = Fields.unchecked(given)
        return replace(fields, geometries=_require_areas(fields.geometries))

    @staticmethod
    def unchecked(given: GeoDataFrame | Mapping[str, Any]) -> Fields:
        """Converts fields with any kind of geometry."""
        fields = _convert_geojson(given) if isinstance(given, Mapping) else _convert_frame(given)
        if len(fields.geometries) == 0:
            raise invalid_input("there are no fields")
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
        return _convert_frame(frame)

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
        """The geometries as GeoJSON in WGS 84; None for a missing or empty geometry. A transformation removes heights."""
        if self.crs is None:
            return list(self.geometries)
        source = pyproj().CRS.from_wkt(self.crs)
        coordinates = [one and one["coordinates"] for one in self.geometries]
        # Not transformed with GEOS, which closes open rings and cannot hold positions with missing numbers.
        places = [place[:2] for one in coordinates for place in positions_of(one)]
        moved = iter(_transform(source, places))
        return [
            one and {"type": one["type"], "coordinates": with_positions(one["coordinates"], moved)}
            for one in self.geometries
        ]

    @property
    def crs_name(self) -> str:
        if self.crs is None:
            return "EPSG:4326"
        code = pyproj().CRS.from_wkt(self.crs).to_authority()
        return str(pyproj().CRS.from_wkt(self.crs).name) if code is None else ":".join(code)

    def frame(self) -> GeoDataFrame:
        """Returns the fields as a GeoDataFrame in their original CRS, with their columns and index."""
        index = None if self.index is None else to_series(self.index).array
        data = {column.name: to_series(column, index) for column in self.columns}
        geometries = [shape_of(geometry) for geometry in self.geometries]
        frame = geopandas().GeoDataFrame(
            data, geometry=geometries, crs=self.crs or "EPSG:4326", index=index
        )
        if index is not None and self.index is not None:
            frame.index.name = self.index.name or None
        same = self.geometry_name == frame.geometry.name
        return frame if same else frame.rename_geometry(self.geometry_name)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _convert_frame(frame: Any) -> Fields:
    if not hasattr(frame, "geometry") or not hasattr(frame, "columns"):
        raise invalid_input(
            "expected a GeoDataFrame, the path of a file, or a GeoJSON FeatureCollection;"
            f" got {type(frame).__name__}"
        )
    if frame.crs is None:
        raise invalid_input(
            "the GeoDataFrame has no CRS: set the CRS of its coordinates with gdf.set_crs(…)"
        )
    mapping = shapely().geometry.mapping
    geometries = [None if one is None or one.is_empty else mapping(one) for one in frame.geometry]
    geometry_name = str(frame.geometry.name)
    return Fields(
        _format_crs(frame.crs),
        tuple(geometries),
        convert_columns(frame, geometry_name),
        convert_index(frame),
        geometry_name,
    )


def convert_columns(frame: Any, geometry_name: str | None = None) -> tuple[Column, ...]:
    names = [str(name) for name in frame.columns]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise invalid_input(f"several columns have the same name: {', '.join(sorted(repeated))}")
    return tuple(
        to_column(name, frame.iloc[:, at]) for at, name in enumerate(names) if name != geometry_name
    )


def _format_crs(crs: Any) -> str | None:
    return None if crs.to_authority() == ("OGC", "CRS84") or crs.to_epsg() == 4326 else crs.to_wkt()


def convert_index(frame: Any) -> Column | None:
    index = frame.index
    default = index.nlevels > 1 or (list(index) == list(range(len(index))) and index.name is None)
    return None if default else to_column(str(index.name or ""), index.to_series())


def _convert_geojson(collection: Mapping[str, Any]) -> Fields:
    features = collection.get("features")
    if collection.get("type") != "FeatureCollection" or not isinstance(features, Sequence):
        raise invalid_input("expected a GeoJSON FeatureCollection")
    if "crs" in collection:
        raise invalid_input(
            "the FeatureCollection has a `crs`, which RFC 7946 does not define: read the file with geopandas"
        )
    bad = [at for at, one in enumerate(features) if not isinstance(one, Mapping)]
    if bad:
        raise invalid_input(f"feature {bad[0]} is not a GeoJSON Feature")
    rows = [feature.get("properties") or {} for feature in features]
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    columns = [Column(name, "json", [row.get(name) for row in rows]) for name in names]
    geometries = [feature.get("geometry") for feature in features]
    # JSON turns tuples into lists. NaN in a geometry later fails its job.
    try:
        text = json.dumps([column.values for column in columns], allow_nan=False)
        geometries = json.loads(json.dumps(geometries))
    except ValueError as error:
        raise invalid_input(
            f"the FeatureCollection contains a value that is not valid JSON: {error}"
        ) from None
    copies = [Column(one.name, one.dtype, kept) for one, kept in zip(columns, json.loads(text))]
    return Fields(None, tuple(geometries), tuple(copies), None, "geometry")


def _require_areas(geometries: Sequence[Any]) -> tuple[Any, ...]:
    """Rejects input with points or lines, which is probably the wrong file. An invalid polygon fails only its job."""
    areas = [area_of(one, keep_heights=True) for one in geometries]
    _raise_violations(
        [
            Violation(
                f"/{at}",
                f"is a {_geometry_type(one)}; expected Polygon or MultiPolygon{_POINTS.get(area.left_out, '')}",
            )
            for at, (area, one) in enumerate(zip(areas, geometries))
            if area.left_out is not None
        ]
    )
    return tuple(area.geometry for area in areas)


def _geometry_type(geometry: Any) -> Any:
    return geometry.get("type") if isinstance(geometry, Mapping) else None


def _raise_violations(errors: Sequence[Violation]) -> None:
    if not errors:
        return
    named = "; ".join(f"row {one.pointer[1:]} {one.message}" for one in errors[:_MOST_NAMED])
    more = len(errors) - _MOST_NAMED
    raise InvalidRequest(
        f"{named}{f'; and {more} more' if more > 0 else ''}",
        type="invalid-input",
        errors=tuple(errors),
    )


def shape_of(geometry: Any) -> Any:
    """Converts GeoJSON to a shape; None if Shapely cannot hold it, for example a polygon with a ring of two positions."""
    try:
        return None if geometry is None else shapely().geometry.shape(geometry)
    except (TypeError, ValueError, LookupError, AttributeError, shapely().errors.ShapelyError):
        return None


def _find_transformation(source: Any) -> Any:
    """Returns the transformation to WGS 84, and the areas in which transformations are known.

    A transformation without the datum shift is rejected: it could move maps by 100 m.
    """
    known = pyproj()
    try:
        chosen = known.Transformer.from_crs(
            source, "EPSG:4326", always_xy=True, allow_ballpark=False
        )
        with warnings.catch_warnings():
            # PROJ warns of missing national grid files; README.md describes their effect.
            warnings.simplefilter("ignore", UserWarning)
            group = known.transformer.TransformerGroup(
                source, "EPSG:4326", always_xy=True, allow_ballpark=False
            )
        return chosen, [one.area_of_use for one in group.transformers]
    except known.exceptions.ProjError:
        raise invalid_input(
            f"no datum shift from the CRS {source.name!r} to WGS 84 is known: transform the fields with the right shift, or"
            " name another CRS"
        ) from None


def _transform(source: Any, places: Sequence[Any]) -> list[Any]:
    """Transforms positions to WGS 84. If only some coordinates are impossible, they stay unchanged: the service rejects their field."""
    transformer, areas = _find_transformation(source)
    xy = numpy().array(places, dtype=float).reshape(-1, 2)
    near = (abs(xy) < _MOST_PROJECTED).all(axis=1)
    lon, lat = transformer.transform(xy[near, 0], xy[near, 1])
    moved = numpy().column_stack([lon, lat]).round(DECIMALS)
    is_lost = len(places) > 0 and not near.any()
    if is_lost or not ((abs(moved) <= 360).all() and _is_inside(moved, areas)):
        use = source.area_of_use
        area = "" if use is None else f" ({use.name[:_AREA_CHARACTERS]})"
        raise invalid_input(
            f"some coordinates lie outside the area in which a transformation from {source.name!r}{area} to WGS 84 is"
            " known: the fields are probably in another CRS"
        )
    xy[near] = moved
    return list(xy.tolist())


def _is_inside(places: Any, areas: Sequence[Any]) -> bool:
    """Whether all places lie in or near the areas. PROJ also uses a datum shift outside its area if it knows no other."""
    if not areas or any(area is None for area in areas):
        return True
    lon, lat = places[:, 0], places[:, 1]
    inside = lon != lon
    for area in areas:
        across = (lon >= area.west - _BEYOND_DEGREES) & (lon <= area.east + _BEYOND_DEGREES)
        # If west > east, the area crosses the antimeridian.
        wide = across | (area.west > area.east)
        along = (lat >= area.south - _BEYOND_DEGREES) & (lat <= area.north + _BEYOND_DEGREES)
        inside = inside | (wide & along)
    return bool(inside.all())
