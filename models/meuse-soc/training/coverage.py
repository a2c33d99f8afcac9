"""The pack's coverage: a simplified outline of the mask in WGS84."""

from __future__ import annotations

import numpy as np
import shapely
from pyproj import Transformer
from rasterio.features import shapes
from rasterio.transform import from_origin

import area

MAX_VERTICES = 60


def to_wgs84() -> Transformer:
    """PROJ's EPSG:28992 → WGS84; tests compare the manifest's proj4 definition with it."""
    return Transformer.from_crs(f"EPSG:{area.EPSG}", "EPSG:4326", always_xy=True)


def outline() -> shapely.Polygon:
    """The smallest outline (RD New) tried that contains all cell centres with MAX_VERTICES at most."""
    mask = area.mask()
    transform = from_origin(area.WEST, area.NORTH, area.CELL, area.CELL)
    parts = [
        shapely.geometry.shape(geometry)
        for geometry, value in shapes(mask.astype(np.uint8), mask=mask, transform=transform)
        if value == 1
    ]
    ground = shapely.union_all(parts)
    x, y = area.centres()
    centres = shapely.multipoints(shapely.points(x[mask], y[mask]))
    found = []
    for width in range(-4, 60, 2):
        wide = shapely.buffer(ground, width, join_style="mitre")
        for tolerance in range(2, 90, 2):
            plain = shapely.simplify(wide, tolerance)
            if plain.geom_type != "Polygon" or len(plain.exterior.coords) > MAX_VERTICES:
                continue
            plain = shapely.Polygon(plain.exterior)
            if plain.contains(centres):
                found.append(plain)
    if not found:
        raise ValueError(f"no outline has at most {MAX_VERTICES} vertices")
    return min(found, key=lambda plain: plain.area)


def polygon() -> dict:
    """GeoJSON (RFC 7946: counter-clockwise, six decimals or about 0.1 m)."""
    ring = shapely.get_coordinates(shapely.geometry.polygon.orient(outline()))
    lon, lat = to_wgs84().transform(ring[:, 0], ring[:, 1])
    coordinates = [[round(float(a), 6), round(float(b), 6)] for a, b in zip(lon, lat)]
    result = {"type": "Polygon", "coordinates": [coordinates]}
    x, y = area.centres()
    inside = area.mask()
    points = shapely.points(*to_wgs84().transform(x[inside], y[inside]))
    if not shapely.contains(shapely.geometry.shape(result), points).all():
        raise ValueError("the coverage misses a cell centre")
    return result
