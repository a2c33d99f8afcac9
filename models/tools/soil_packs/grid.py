"""Declares the grid of a pack from a raster on that grid."""

from __future__ import annotations

import re
import warnings
from os import PathLike
from typing import Any

from .commands import PackError

# Datums that differ from WGS 84 by at most two metres (docs/manifest.md, "The grid").
NEAR_WGS84 = ("ETRS89", "NAD83", "GDA2020", "SIRGAS 2000", "WGS 84", "World Geodetic System 1984")


def grid_of(
    raster: str | PathLike[str],
    *,
    proj4: str | None = None,
    tile_size: int = 256,
    block_tiles: int = 2,
) -> dict[str, Any]:
    """Makes the manifest's `grid`. `proj4` is the full definition of the CRS with its datum shift."""
    import rasterio

    with rasterio.open(raster) as source:
        if source.crs is None:
            raise PackError(f"{raster} has no CRS")
        epsg = source.crs.to_epsg()
        if epsg is None:
            raise PackError(f"the CRS of {raster} has no EPSG code, which results need")
        west, north = source.transform.c, source.transform.f
        width, height = source.width, source.height
        cell, down = source.transform.a, source.transform.e
        if source.transform.b or source.transform.d or abs(cell + down) > 1e-9 * cell:
            raise PackError(f"{raster}: cells must be square, with north up")
    return {
        "crs": {"epsg": epsg, "name": read_name(epsg), "proj4": proj4 or find_proj4(epsg)},
        "origin": [west, north],
        "cell_size": cell,
        "width": width,
        "height": height,
        "tile_size": tile_size,
        "block_tiles": block_tiles,
    }


def read_name(epsg: int) -> str:
    import pyproj

    return str(pyproj.CRS.from_epsg(epsg).name)


def find_proj4(epsg: int) -> str:
    """Finds the PROJ.4 definition with the datum shift to WGS 84, without which EPSG:28992 is 101 m off."""
    import pyproj

    crs = pyproj.CRS.from_epsg(epsg)
    with warnings.catch_warnings():
        # pyproj warns that PROJ.4 text loses the datum; the shift is added below.
        warnings.simplefilter("ignore", UserWarning)
        text = crs.to_proj4().replace(" +type=crs", "")
    if "+datum=WGS84" in text or "+towgs84" in text:
        return text
    shift = "0,0,0" if _is_near_wgs84(crs) else _find_helmert_shift(crs)
    if shift is None:
        raise PackError(
            f"no datum shift for +towgs84 was found for EPSG:{epsg} ({crs.name}): pass proj4= with the +towgs84 for"
            " this area (docs/manifest.md, The grid)"
        )
    return text.replace(" +units", f" +towgs84={shift} +units", 1)


def _is_near_wgs84(crs: Any) -> bool:
    datum = crs.datum.name
    return (
        any(datum.startswith(name) for name in NEAR_WGS84)
        or "ETRF" in datum
        or ("European Terrestrial Reference System" in datum)
    )


def _find_helmert_shift(crs: Any) -> str | None:
    """Returns the value of `+towgs84` from the first transformation to WGS 84 that has exactly one `helmert` step, or zeros
    if a transformation without a shift comes first; None without either."""
    import pyproj

    geodetic = crs.geodetic_crs
    group = pyproj.transformer.TransformerGroup(geodetic, "EPSG:4326", always_xy=True)
    for transformer in group.transformers:
        shifts = "helmert" in transformer.definition or "grid" in transformer.definition
        # A datum such as RGF93 equals WGS 84 within the accuracy of the transformation.
        if not shifts and 0 <= transformer.accuracy <= 2:
            return "0,0,0"
        steps = re.findall(r"proj=helmert [^|]*?(?=proj=|step|$)", transformer.definition)
        if len(steps) != 1:
            continue
        found = dict(re.findall(r"(\w+)=(\S+)", steps[0]))
        # The two conventions for Helmert transformations use opposite signs for rotations.
        sign = -1 if found.get("convention") == "coordinate_frame" else 1
        turns = [sign * float(found.get(name, 0)) for name in ("rx", "ry", "rz")]
        moves = [float(found.get(name, 0)) for name in ("x", "y", "z")]
        return ",".join(f"{value:.15g}" for value in [*moves, *turns, float(found.get("s", 0))])
    return None
