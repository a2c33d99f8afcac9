"""Declares the covariates, coverage and years of a pack."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from .commands import PackError
from .grid import find_proj4

Source = str | PathLike[str]


@dataclass(frozen=True)
class Covariate:
    name: str
    classes: bool
    declared: dict[str, Any]
    #: The covariate's files, by their names in the pack.
    files: dict[str, Path]
    #: The years of each period, such as "2015-2019"; empty if the covariate has one map for all years.
    periods: tuple[str, ...]

    def write(self, folder: Path, *, link: bool) -> None:
        for name, source in self.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if link:
                link_or_copy(source.resolve(), target)
            elif not (target.exists() and target.samefile(source)):
                shutil.copy2(source, target)


def link_or_copy(source: Path, target: Path) -> None:
    """Creates a hard link or, failing that, a copy: the commands reject symbolic links, which may lead out of a pack."""
    try:
        target.hardlink_to(source)
    except OSError:
        # The source may be on another file system or belong to another user.
        shutil.copy2(source, target)


def declare_covariate(
    grid: Mapping[str, Any],
    name: str,
    source: Source | Mapping[str, Source] | None,
    *,
    unit: str | None,
    description: str | None,
    classes: bool,
    axis: str | None,
    band: int,
    native_cell_size: float | None,
    href: str | None,
) -> Covariate:
    described = {"name": name, "description": description or name}
    if axis is not None:
        return Covariate(name, False, {"kind": "coordinate", **described, "axis": axis}, {}, ())
    if source is None:
        raise PackError(f"the covariate {name} needs a raster, or axis=")
    periods = dict(source) if isinstance(source, Mapping) else {}
    for years in periods:
        parse_years(years)
    hrefs: dict[str, str] = {}
    files: dict[str, Path] = {}
    for years, one in (periods or {"": source}).items():
        remote = re.match(r"(https|s3)://", str(one)) is not None
        packed_name = f"{href or name + '.tif'}".replace(
            ".tif", f"_{years}.tif" if years else ".tif"
        )
        hrefs[years] = str(one) if remote else packed_name
        if not remote:
            files[hrefs[years]] = Path(one)
    layouts = {json.dumps(_declare_layout(grid, path, classes)) for path in files.values()}
    if len(layouts) > 1:
        raise PackError(f"the rasters of {name} are on different grids: resample them to one grid")
    declared = {
        "kind": "raster",
        **described,
        "unit": unit,
        "href": hrefs if periods else hrefs[""],
        "band": band,
        **(json.loads(layouts.pop()) if layouts else _declare_resampling(classes)),
        **({} if native_cell_size is None else {"native_cell_size": native_cell_size}),
    }
    return Covariate(name, classes, declared, files, tuple(periods))


def _declare_resampling(classes: bool) -> dict[str, Any]:
    return {"resampling": "nearest" if classes else "bilinear"}


def _declare_layout(grid: Mapping[str, Any], path: Path, classes: bool) -> dict[str, Any]:
    """Declares the raster's resampling, and its CRS if it is not the pack's; empty if the raster is on the pack's grid."""
    import rasterio

    if not path.exists():
        raise PackError(f"{path} does not exist")
    with rasterio.open(path) as raster:
        epsg = None if raster.crs is None else raster.crs.to_epsg()
        transform, size = raster.transform, [raster.width, raster.height]
    pack_epsg = grid["crs"]["epsg"]
    same = (
        epsg == pack_epsg
        and [transform.c, transform.f] == list(grid["origin"])
        and transform.a == grid["cell_size"]
        and size == [grid["width"], grid["height"]]
    )
    if same:
        return {}
    result = _declare_resampling(classes)
    if epsg is None:
        raise PackError(
            f"the CRS of {path} has no EPSG code: reproject the raster to a CRS with a code"
        )
    if epsg != pack_epsg:
        result["crs"] = {"proj4": find_proj4(epsg)}
    return result


def parse_years(text: str) -> list[int]:
    found = re.fullmatch(r"(\d{4})(?:-(\d{4}))?", text)
    if found is None:
        raise PackError(
            f'expected a period as the years of a map, such as "2015-2019"; got "{text}"'
        )
    return [int(found[1]), int(found[2] or found[1])]


def declare_years(
    covariates: Sequence[Covariate], data_period: Sequence[int] | None
) -> dict[str, Any]:
    periods = list(dict.fromkeys(years for one in covariates for years in one.periods))
    for one in covariates:
        if one.periods and sorted(one.periods) != sorted(periods):
            raise PackError(
                f"{one.name} must have a raster for each of the periods {', '.join(sorted(periods))}"
            )
    if periods:
        return {"kind": "period", "periods": sorted(parse_years(years) for years in periods)}
    if data_period is None:
        raise PackError("data_period is missing: pass the first and last year of the samples")
    return {"kind": "static", "data_period": list(data_period)}


# Decimals of degrees: a millionth of a degree is 0.1 m.
_DECIMALS = 6


def convert_coverage(coverage: Any) -> dict[str, Any]:
    """Converts the coverage to a Polygon or MultiPolygon in WGS 84 (RFC 7946)."""
    if isinstance(coverage, Mapping):
        return dict(coverage)
    if not hasattr(coverage, "to_crs") or coverage.crs is None:
        raise PackError("coverage must be a GeoDataFrame with a CRS, or GeoJSON in WGS 84")
    from shapely.geometry import mapping
    from shapely.geometry.polygon import orient

    union = coverage.geometry.to_crs(4326).union_all()
    parts = list(getattr(union, "geoms", [union]))
    if any(part.geom_type != "Polygon" for part in parts):
        raise PackError("coverage must consist of polygons")
    rings = [
        [
            [[round(lon, _DECIMALS), round(lat, _DECIMALS)] for lon, lat, *_ in ring]
            for ring in mapping(orient(part))["coordinates"]
        ]
        for part in parts
    ]
    if len(rings) == 1:
        return {"type": "Polygon", "coordinates": rings[0]}
    return {"type": "MultiPolygon", "coordinates": rings}
